#include <iostream>
#include <stdexcept>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#ifdef TS_HAVE_VTK
#include "app/paraview_export.h"
#include "core/run/recording.h"
#endif

namespace touchstone::cli {

#ifdef TS_HAVE_VTK
int exportParaview(const std::string& file, const std::string& folder) {
  const Recording recording(file);
  const bool done = exportForParaview(recording, folder, [](double share) {
    printProgress(share);
    return interruption().empty();
  });
  if (!done) throwIfInterrupted();
  std::cout << "Written to " << folder << ": open the .pvd files in ParaView\n";
  return kDone;
}
#else
int exportParaview(const std::string&, const std::string&) {
  throw std::runtime_error(
      "export --paraview: this program was built without VTK; configure with TS_WORKBENCH=ON");
}
#endif

}  // namespace touchstone::cli
