// What builds tell of themselves: listings, libraries, and JSON of one's own.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/json_members.h"
#include "formats/json_text.h"
#include "formats/selected_operators.h"
#include "needs/library_names.h"
#include "needs/release_tables.h"
#include "needs/releases.h"
#include "pteedit/container.h"
#include "pteedit/target.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kHeadBytes = 4096;
constexpr uint64_t kMaxTextBytes = uint64_t{32} << 20;
const JsonLimits kTargetLimits{kMaxTextBytes, 1'000'000, false, {}};

Result<std::string> ReadText(const Source& source, uint64_t bytes) {
  std::string text(static_cast<size_t>(bytes), '\0');
  PTEEDIT_TRY(source.Read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  return text;
}

// The runtime's own, which every build has: listings need not name them.
bool IsOfRuntime(std::string_view kernel) {
  constexpr std::string_view kOthers[] = {"aten::_local_scalar_dense", "aten::sym_numel", "aten::sym_size.int"};
  return kernel.starts_with("executorch_prim::") || std::ranges::find(kOthers, kernel) != std::end(kOthers);
}

TargetKernel KernelOf(const std::string& name, const SelectedOperators::Kernel& kernel) {
  TargetKernel row{name + (kernel.has_all_overloads ? kAllOverloads : ""), {}};
  if (!kernel.scalar_types) return row;
  row.dtypes.emplace();
  for (const int8_t type : *kernel.scalar_types) row.dtypes->push_back(ScalarTypeName(type));
  return row;
}

Result<Target> TargetOfListing(std::string_view yaml) {
  PTEEDIT_ASSIGN(const SelectedOperators listing, ReadSelectedOperators(yaml));
  Target target;
  if (listing.has_all) return target;
  std::vector<TargetKernel> kernels;
  for (const auto& [name, kernel] : listing.kernels) {
    if (!IsOfRuntime(name)) kernels.push_back(KernelOf(name, kernel));
  }
  for (const NameInReleases& row : StockKernels()) {
    if (IsOfRuntime(row.name)) kernels.push_back({std::string(row.name), {}});
  }
  std::ranges::sort(kernels, {}, &TargetKernel::name);
  target.kernels = std::move(kernels);
  return target;
}

Result<Target> TargetOfLibrary(const Source& library) {
  PTEEDIT_ASSIGN(const LibraryNames names, FindLibraryNames(library));
  Target target;
  target.is_guess = true;
  target.kernels.emplace();
  for (const std::string& name : names.kernels) target.kernels->push_back({name, {}});
  target.backends.emplace(names.backends.begin(), names.backends.end());
  return target;
}

Result<std::vector<TargetKernel>> ReadKernels(const JsonObject& kernels) {
  std::vector<TargetKernel> rows;
  if (kernels.json.kind != JsonValue::Kind::kObject) return WrongMember(kernels.place, "is no object");
  for (const std::string& name : kernels.json.names) {
    TargetKernel& row = rows.emplace_back(TargetKernel{name, {}});
    PTEEDIT_ASSIGN(row.dtypes, kernels.OptionalList<std::string>(name, TextOf));
  }
  std::ranges::sort(rows, {}, &TargetKernel::name);
  return rows;
}

Result<TargetDevice> ReadDevice(const JsonObject& object) {
  TargetDevice device;
  if (object.json.kind != JsonValue::Kind::kObject) return WrongMember(object.place, "is no object");
  PTEEDIT_ASSIGN(device.ram_bytes, object.OptionalCount("ram"));
  PTEEDIT_ASSIGN(device.data_files, object.OptionalCount("ptd"));
  for (const std::string& name : object.json.names) {
    if (name == "ram" || name == "ptd" || object.Find(name) == nullptr) continue;
    PTEEDIT_ASSIGN(std::string value, object.OptionalText(name));
    device.parts.push_back({name, std::move(value)});
  }
  if (const Status checked = CheckDevice(device); !checked)
    return Malformed(Text("'", object.place, "' ", checked.error().message));
  return device;
}

Result<Target> ParseTarget(std::string_view json) {
  PTEEDIT_ASSIGN(const JsonValue root,
                 ParseFileJson(json, kTargetLimits,
                               {"schema_version", "name", "release", "kernels", "backends", "guess", "device"}));
  const JsonObject object{root, ""};
  Target target;
  PTEEDIT_ASSIGN(target.name, object.OptionalText("name"));
  PTEEDIT_ASSIGN(target.release, object.OptionalText("release"));
  if (!target.release.empty()) {
    Result<Target> release = FindTarget(Text(kReleaseTarget, target.release));
    if (!release || release->kernels) return WrongMember("release", "is no release that is known");
    target.release = std::move(release->release);
  }
  if (const JsonValue* kernels = object.Find("kernels")) {
    PTEEDIT_ASSIGN(target.kernels, ReadKernels({*kernels, "kernels"}));
  }
  PTEEDIT_ASSIGN(target.backends, object.OptionalList<std::string>("backends", TextOf));
  const JsonValue* guess = object.Find("guess");
  if (guess != nullptr && guess->kind != JsonValue::Kind::kBoolean) return WrongMember("guess", "is no true or false");
  target.is_guess = guess != nullptr && guess->number != 0;
  if (const JsonValue* device = object.Find("device")) {
    PTEEDIT_ASSIGN(target.device, ReadDevice({*device, "device"}));
  }
  return target;
}

Result<Target> ReadAnyTarget(const Source& build) {
  PTEEDIT_ASSIGN(const std::string head, ReadText(build, std::min(build.size(), kHeadBytes)));
  if (head.find('\0') != head.npos) return TargetOfLibrary(build);
  if (build.size() > kMaxTextBytes)
    return Unsupported(Text("has ", build.size(), " bytes of text, at most ", kMaxTextBytes, " expected"));
  PTEEDIT_ASSIGN(const std::string text, ReadText(build, build.size()));
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{' ? ParseTarget(text) : TargetOfListing(text);
}

// What either has, by name. Of what both have the first one's.
template <class Row, class Name>
std::optional<std::vector<Row>> Union(std::optional<std::vector<Row>> one, const std::optional<std::vector<Row>>& other,
                                      Name name) {
  if (!one || !other) return one ? one : other;
  one->insert(one->end(), other->begin(), other->end());
  std::ranges::stable_sort(*one, {}, name);
  const auto rest = std::ranges::unique(*one, {}, name);
  one->erase(rest.begin(), rest.end());
  return one;
}

Target Linked(Target one, const Target& other) {
  one.name += "," + other.name;
  if (one.release.empty()) one.release = other.release;
  one.kernels = Union(std::move(one.kernels), other.kernels, &TargetKernel::name);
  one.backends = Union(std::move(one.backends), other.backends, std::identity());
  one.is_guess = one.is_guess || other.is_guess;
  if (one.device.parts.empty()) one.device.parts = other.device.parts;
  if (!one.device.ram_bytes) one.device.ram_bytes = other.device.ram_bytes;
  if (!one.device.data_files) one.device.data_files = other.device.data_files;
  return one;
}

std::string KernelText(const TargetKernel& kernel) {
  const std::string types = kernel.dtypes ? "[" + Joined(*kernel.dtypes, ", ", JsonText) + "]" : "null";
  return JsonText(kernel.name) + ": " + types;
}

std::string RowsText(std::string_view brackets, const std::string& rows) {
  return Text(brackets[0], rows, rows.empty() ? "" : "\n ", brackets[1]);
}

std::string DeviceText(const TargetDevice& device) {
  std::vector<std::string> members;
  for (const BlobFact& part : device.parts) members.push_back(JsonText(part.name) + ": " + JsonText(part.value));
  if (device.ram_bytes) members.push_back(Text("\"ram\": ", *device.ram_bytes));
  if (device.data_files) members.push_back(Text("\"ptd\": ", *device.data_files));
  return Joined(members, ", ");
}

}  // namespace

Result<Target> ReadTarget(const std::vector<std::shared_ptr<const Source>>& parts) {
  std::optional<Target> all;
  for (const std::shared_ptr<const Source>& part : parts) {
    Result<Target> read = ReadAnyTarget(*part);
    if (!read) return std::move(read).error().In(part->name());
    if (read->name.empty()) read->name = part->name().substr(part->name().rfind('/') + 1);
    all = all ? Linked(*std::move(all), *read) : *std::move(read);
  }
  if (!all) return InvalidArgument("has no files");
  if (all->is_guess && all->kernels->empty() && all->backends->empty())
    return Unsupported("has no names of kernels or backends; what it loads has to be named, too: A,B.so")
        .In(parts.front()->name());
  if (!all->release.empty() && !all->device.data_files)
    all->device.data_files = FindTarget(Text(kReleaseTarget, all->release))->device.data_files;
  return *std::move(all);
}

std::string TargetText(const Target& target) {
  std::string text = "{\n \"schema_version\": 1,\n \"name\": " + JsonText(target.name);
  if (!target.release.empty()) text += ",\n \"release\": " + JsonText(target.release);
  if (target.kernels) {
    const auto row = [](const TargetKernel& kernel) { return "\n  " + KernelText(kernel); };
    text += ",\n \"kernels\": " + RowsText("{}", Joined(*target.kernels, ",", row));
  }
  if (target.backends) {
    const auto row = [](const std::string& name) { return "\n  " + JsonText(name); };
    text += ",\n \"backends\": " + RowsText("[]", Joined(*target.backends, ",", row));
  }
  if (target.is_guess) text += ",\n \"guess\": true";
  if (const std::string device = DeviceText(target.device); !device.empty()) text += ",\n \"device\": {" + device + "}";
  return text + "\n}\n";
}

}  // namespace pteedit
