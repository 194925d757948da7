#include "app/exports/paraview_export.h"

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkIntArray.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkXMLPolyDataWriter.h>

#include <filesystem>
#include <iomanip>
#include <new>
#include <sstream>
#include <vector>

#include "app/cli/result_folder.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/files/write_lock.h"
#include "core/files/written_file.h"
#include "core/store/recording.h"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

vtkSmartPointer<vtkDoubleArray> arrayOf(const char* name, int components) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name);
  array->SetNumberOfComponents(components);
  return array;
}

vtkSmartPointer<vtkPolyData> bodies(const StepRecord& record, const Scene& scene) {
  std::vector<double> depth(scene.bodies.size(), 0);
  for (const Overlap& overlap : record.overlaps)
    for (int body : {overlap.bodyA, overlap.bodyB}) depth[body] = std::max(depth[body], overlap.depth);
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkCellArray> polygons;
  vtkNew<vtkIntArray> ids;
  ids->SetName("body");
  const auto depths = arrayOf("depth_m", 1), velocities = arrayOf("velocity_m_per_s", 3);
  for (std::size_t index = 0; index < scene.bodies.size(); ++index) {
    const BodyState& state = record.bodies[index];
    if (!state.active) continue;
    for (const TriangleMesh& mesh : scene.bodies[index].shape->surfaces) {
      const vtkIdType first = points->GetNumberOfPoints();
      for (const Vec3& vertex : mesh.vertices)
        points->InsertNextPoint((state.position + state.orientation * vertex).eval().data());
      for (const auto& triangle : mesh.triangles) {
        const vtkIdType corners[3] = {first + triangle[0], first + triangle[1], first + triangle[2]};
        polygons->InsertNextCell(3, corners);
        ids->InsertNextValue(static_cast<int>(index));
        depths->InsertNextValue(depth[index]);
        velocities->InsertNextTuple(state.linearVelocity.data());
      }
    }
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(polygons);
  data->GetCellData()->AddArray(ids);
  data->GetCellData()->AddArray(depths);
  data->GetCellData()->AddArray(velocities);
  return data;
}

vtkSmartPointer<vtkPolyData> contacts(const StepRecord& record) {
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkCellArray> vertices;
  const auto gaps = arrayOf("gap_m", 1), normals = arrayOf("normal", 3), forces = arrayOf("force_N", 3);
  vtkNew<vtkIntArray> traps;
  traps->SetName("trap");
  for (const Contact& contact : record.contacts) {
    const vtkIdType id = points->InsertNextPoint(contact.pointB.data());
    vertices->InsertNextCell(1, &id);
    const Vec3 impulse = contact.normalImpulse * contact.normal + contact.frictionImpulse;
    const Vec3 force = record.dt > 0 ? Vec3(impulse / record.dt) : Vec3(Vec3::Zero());
    gaps->InsertNextValue(contact.gap);
    normals->InsertNextTuple(contact.normal.data());
    forces->InsertNextTuple(force.data());
    traps->InsertNextValue(contact.trap);
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetVerts(vertices);
  for (vtkDataArray* array :
       {static_cast<vtkDataArray*>(gaps.Get()), static_cast<vtkDataArray*>(normals.Get()),
        static_cast<vtkDataArray*>(forces.Get()), static_cast<vtkDataArray*>(traps.Get())})
    data->GetPointData()->AddArray(array);
  return data;
}

/// VTK does not notice disk errors at closing a file; therefore VTK makes only the text.
void writeData(vtkPolyData* data, const fs::path& path) {
  vtkNew<vtkXMLPolyDataWriter> writer;
  writer->WriteToOutputStringOn();
  writer->SetInputData(data);
  if (writer->Write() != 1) throw std::bad_alloc();
  writeWhole(path.string(), [&](std::ostream& out) { out << writer->GetOutputString(); });
}

bool isFrame(const std::string& name) {
  constexpr std::size_t kDigits = 8;
  return name.size() >= kDigits + 4 && name.substr(name.size() - 4) == ".vtp" &&
         name.find_first_not_of("0123456789") == name.size() - 4;
}

/// Removes the frames of a series, and the folder if it is then empty.
void removeFrames(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> frames;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (isFrame(entry.path().filename().string())) frames.push_back(entry.path());
  for (const fs::path& frame : frames) fs::remove(frame, ignored);
  fs::remove(folder, ignored);  // fails if it is not empty
}

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
    if (!m_finished) removeFrames(m_folder / m_frames);
  }
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;
  void add(const StepRecord& record, vtkPolyData* data) {
    std::ostringstream file;
    file << m_frames << '/' << std::setw(8) << std::setfill('0') << record.frame << ".vtp";
    writeData(data, m_folder / file.str());
    m_text << "    <DataSet timestep=\"" << record.time << "\" file=\"" << xmlText(file.str()) << "\"/>\n";
  }
  void finish() {
    writeWhole((m_folder / (m_name + ".pvd")).string(),
               [this](std::ostream& out) { out << m_text.str() << "  </Collection>\n</VTKFile>\n"; });
    m_finished = true;
    std::error_code ignored;
    std::vector<fs::path> others;
    for (const auto& entry : fs::directory_iterator(m_folder, ignored)) {
      const std::string other = entry.path().filename().string();
      const bool isEarlier = other.rfind(m_name, 0) == 0 && other != m_frames &&
                             other.find_first_not_of("-0123456789", m_name.size()) == std::string::npos;
      if (isEarlier && entry.is_directory(ignored)) others.push_back(entry.path());
    }
    for (const fs::path& other : others) removeFrames(other);
  }

 private:
  fs::path m_folder;
  std::string m_name, m_frames;  ///< name of the .pvd file, and of the folder of frames
  std::ostringstream m_text;
  bool m_finished = false;
};

}  // namespace

bool exportForParaview(const Recording& recording, const std::string& folder,
                       const std::function<bool(double)>& progress) {
  const std::vector<RecordedPane> panes = recording.panes();
  if (panes.empty())
    throw SceneError(recording.path(), "", "holds no pane at its end", "record it again with a pane");
  cli::createFolder(folder);
  const WriteLock lock(folder);
  const double all = static_cast<double>(panes.size() * recording.rows().size());
  double done = 0;
  for (std::size_t index = 0; index < panes.size(); ++index) {
    const std::string label = std::to_string(index + 1) + "-" + plainName(panes[index].label);
    Series bodySeries(folder, label + "-bodies"), contactSeries(folder, label + "-contacts");
    for (const RecordedRow& row : recording.rows()) {
      if (progress && !progress(done++ / all)) return false;
      if (row.pane != panes[index].id) continue;
      const RecordPtr record = recording.record(row.frame, row.pane);
      bodySeries.add(*record, bodies(*record, *recording.scene()));
      contactSeries.add(*record, contacts(*record));
    }
    bodySeries.finish();
    contactSeries.finish();
  }
  if (progress) progress(1);
  return true;
}

}  // namespace touchstone
