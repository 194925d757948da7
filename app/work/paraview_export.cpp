#include "app/work/paraview_export.h"

#include <vtkPolyData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLPolyDataWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <filesystem>
#include <iomanip>
#include <memory>
#include <new>
#include <sstream>
#include <vector>

#include "app/work/paraview_data.h"
#include "app/work/result_folder.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/record/contact_features.h"
#include "core/store/recording.h"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

/// VTK does not notice disk errors at closing a file; therefore VTK makes only the text.
template <class Writer>
void writeData(vtkDataSet* data, const fs::path& path) {
  vtkNew<Writer> writer;
  writer->WriteToOutputStringOn();
  writer->SetInputData(data);
  if (writer->Write() != 1) throw std::bad_alloc();
  writeWhole(path.string(), [&](std::ostream& out) { out << writer->GetOutputString(); });
}

/// Files of an export beside its series: the names and hashes of what it wrote. Hidden, since ParaView reads
/// the others.
constexpr char kLedger[] = ".paraview-manifest.json";

/// A series: the .pvd file names the file of each time. Frames go into a new folder; together with the .pvd
/// file they replace those of an earlier export.
class Series {
 public:
  Series(const fs::path& folder, const std::string& name) : m_folder(folder), m_name(name), m_frames(name) {
    for (int number = 2; !fs::create_directory(folder / m_frames); ++number)
      m_frames = name + "-" + std::to_string(number);
    m_text << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n"
           << std::setprecision(17);
  }
  ~Series() {
    if (m_finished) return;
    std::error_code ignored;
    for (const std::string& file : m_files) fs::remove(m_folder / file, ignored);
    fs::remove(m_folder / m_frames, ignored);  // fails if it is not empty
  }
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;
  void add(const StepRecord& record, vtkPolyData* data) {
    writeData<vtkXMLPolyDataWriter>(data, m_folder / nextFile(record, ".vtp"));
  }
  void add(const StepRecord& record, vtkUnstructuredGrid* data) {
    writeData<vtkXMLUnstructuredGridWriter>(data, m_folder / nextFile(record, ".vtu"));
  }
  void finish() {
    writeWhole((m_folder / (m_name + ".pvd")).string(),
               [this](std::ostream& out) { out << m_text.str() << "  </Collection>\n</VTKFile>\n"; });
    m_finished = true;
    m_files.push_back(m_name + ".pvd");
  }
  /// Names of all files that were written.
  const std::vector<std::string>& files() const { return m_files; }

 private:
  std::string nextFile(const StepRecord& record, const char* ending) {
    std::ostringstream file;
    file << m_frames << '/' << std::setw(8) << std::setfill('0') << record.frame << ending;
    m_text << "    <DataSet timestep=\"" << record.time << "\" file=\"" << xmlText(file.str()) << "\"/>\n";
    m_files.push_back(file.str());
    return file.str();
  }
  fs::path m_folder;
  std::string m_name, m_frames;  ///< name of the .pvd file, and of the folder of frames
  std::ostringstream m_text;
  std::vector<std::string> m_files;
  bool m_finished = false;
};

}  // namespace

bool exportForParaview(const Recording& recording, const std::string& folder,
                       const std::function<bool(double)>& progress, ResultFolder::Earlier earlier) {
  std::vector<ParaviewPane> panes;
  for (const RecordedPane& recorded : recording.panes()) {
    ParaviewPane& pane = panes.emplace_back();
    pane.label = recorded.label;
    for (const RecordedRow& row : recording.rows())
      if (row.pane == recorded.id) pane.frames.push_back(row.frame);
    pane.record = [&recording, id = recorded.id](long frame) { return recording.record(frame, id); };
  }
  if (panes.empty())
    throw SceneError(recording.path(), "", "holds no pane at its end", "record it again with a pane");
  return exportForParaview(recording.scene(), panes, folder, progress, earlier);
}

bool exportForParaview(const std::shared_ptr<const Scene>& scene, const std::vector<ParaviewPane>& panes,
                       const std::string& folder, const std::function<bool(double)>& progress,
                       ResultFolder::Earlier earlier) {
  std::vector<std::string> labels, names;
  for (std::size_t index = 0; index < panes.size(); ++index) {
    labels.push_back(std::to_string(index + 1) + "-" + plainName(panes[index].label));
    for (const char* kind : {"-bodies.pvd", "-contacts.pvd", "-tetrahedra.pvd"})
      names.push_back(labels.back() + kind);
  }
  const ResultFolder files(folder, earlier, names, kLedger);
  std::vector<std::unique_ptr<Series>> series;  // replace those of an earlier export together
  const ContactFeatures features(scene);
  double total = 0, done = 0;
  for (const ParaviewPane& pane : panes) total += static_cast<double>(pane.frames.size());
  for (std::size_t index = 0; index < panes.size(); ++index) {
    const std::string& label = labels[index];
    const auto add = [&](const char* kind) -> Series& {
      series.push_back(std::make_unique<Series>(folder, label + kind));
      return *series.back();
    };
    Series &bodies = add("-bodies"), &contacts = add("-contacts");
    Series* const tetrahedra = hasTetrahedra(*scene) ? &add("-tetrahedra") : nullptr;
    for (long frame : panes[index].frames) {
      if (progress && !progress(done++ / total)) return false;
      const RecordPtr record = panes[index].record(frame);
      bodies.add(*record, paraviewBodies(*record, *scene, features));
      contacts.add(*record, paraviewContacts(*record));
      if (tetrahedra) tetrahedra->add(*record, paraviewTetrahedra(*record, *scene));
    }
  }
  std::vector<std::string> written;
  for (const auto& part : series) {
    part->finish();
    written.insert(written.end(), part->files().begin(), part->files().end());
  }
  files.finish({{"touchstone_files", 1}}, written);
  if (progress) progress(1);
  return true;
}

}  // namespace touchstone
