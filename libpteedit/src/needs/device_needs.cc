#include "needs/device_needs.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace pteedit {
namespace {

bool IsSame(std::string_view needed, std::string_view offered) { return LowerCase(needed) == LowerCase(offered); }

// An engine runs on the release that built it: "10.3" is as good as "10.3.0.26".
bool IsSameVersion(std::string_view needed, std::string_view offered) {
  const bool tells_less = offered.size() < needed.size();
  const std::string_view shorter = tells_less ? offered : needed;
  const std::string_view longer = tells_less ? needed : offered;
  return longer.starts_with(shorter) && (longer.size() == shorter.size() || longer[shorter.size()] == '.');
}

// Libraries of QNN load what the same or an older SDK made, as far as the offer tells: "2.37".
bool IsNotNewer(std::string_view needed, std::string_view offered) {
  while (!offered.empty() && !needed.empty()) {
    const size_t own = std::min(needed.find('.'), needed.size()), other = std::min(offered.find('.'), offered.size());
    uint64_t one = 0, two = 0;
    std::from_chars(needed.data(), needed.data() + own, one);
    std::from_chars(offered.data(), offered.data() + other, two);
    if (one != two) return one < two;
    needed.remove_prefix(std::min(own + 1, needed.size()));
    offered.remove_prefix(std::min(other + 1, offered.size()));
  }
  return true;
}

// "VK_ARM_tensors" in "VK_ARM_data_graph+VK_ARM_tensors", and so on with each.
bool HasAllOf(std::string_view needed, std::string_view offered) {
  const std::string all = Text("+", offered, "+");
  while (!needed.empty()) {
    const size_t end = std::min(needed.find('+'), needed.size());
    if (all.find(Text("+", needed.substr(0, end), "+")) == all.npos) return false;
    needed.remove_prefix(std::min(end + 1, needed.size()));
  }
  return true;
}

// "ios17.2" or "macOS 14".
struct System {
  std::string name;
  int major = 0;
};

std::optional<System> ParseSystem(std::string_view text) {
  const size_t digits = text.find_first_of("0123456789");
  System system{LowerCase(text.substr(0, digits)), 0};
  while (system.name.ends_with(' ')) system.name.pop_back();
  if (digits == text.npos || system.name.empty()) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), system.major);
  const bool is_whole = error == std::errc() && (end == text.data() + text.size() || *end == '.');
  return is_whole ? std::optional(system) : std::nullopt;
}

// The first system of each kind that reads a specification of Core ML, as coremltools names targets. 0: none does.
struct CoremlRow {
  int specification;
  int ios, macos, watchos, visionos;  // tvOS counts as iOS
};
constexpr CoremlRow kCoreml[] = {{4, 13, 10, 6, 0},  {5, 14, 11, 7, 0},  {6, 15, 12, 8, 0},   {7, 16, 13, 9, 0},
                                 {8, 17, 14, 10, 1}, {9, 18, 15, 11, 2}, {10, 26, 26, 26, 26}};

int FirstWith(const CoremlRow& row, std::string_view system) {
  if (system == "ios" || system == "ipados" || system == "tvos") return row.ios;
  if (system == "macos") return row.macos;
  if (system == "watchos") return row.watchos;
  return system == "visionos" ? row.visionos : 0;
}

// The newest specification that the system reads; 0 of a system that has no Core ML.
int CoremlOf(const System& system) {
  int newest = 0;
  for (const CoremlRow& row : kCoreml) {
    const int first = FirstWith(row, system.name);
    if (first != 0 && first <= system.major) newest = row.specification;
  }
  return newest;
}

bool ReadsSpecification(std::string_view needed, std::string_view offered) {
  const std::optional<System> system = ParseSystem(offered);
  int specification = 0;
  const auto [end, error] = std::from_chars(needed.data(), needed.data() + needed.size(), specification);
  if (!system || error != std::errc() || end != needed.data() + needed.size()) return true;  // cannot be told
  return specification <= CoremlOf(*system);
}

// Of Core AI, whose blobs tell the number alone.
bool IsNewEnough(std::string_view needed, std::string_view offered) {
  const std::optional<System> system = ParseSystem(offered);
  int major = 0;
  const auto [end, error] = std::from_chars(needed.data(), needed.data() + needed.size(), major);
  return !system || error != std::errc() || (end != needed.data() + needed.size() && *end != '.') ||
         major <= system->major;
}

// What decoders tell of a blob, and how a device's part is held against it.
struct PartRow {
  std::string_view part;
  std::string_view fact;
  bool (*fits)(std::string_view needed, std::string_view offered);
};
constexpr PartRow kParts[] = {
    {"soc", "soc_model", IsSame},                     // Qualcomm
    {"soc", "chipset", IsSame},                       // Samsung
    {"soc", "platform-config", IsSame},               // MediaTek
    {"htp", "htp_arch", IsSame},                      // of Qualcomm: V75
    {"qnn", "qnn_sdk_version", IsNotNewer},           // 2.37
    {"npu", "target", IsSame},                        // ethos-u85-256
    {"openvino", "device", IsSame},                   // CPU, GPU or NPU
    {"tensorrt", "tensorrt_version", IsSameVersion},  // 10.3
    {"vulkan", "vulkan_extensions", HasAllOf},        // VK_ARM_data_graph+VK_ARM_tensors
    {"os", "min_deployment_target", ReadsSpecification},
    {"os", "specification_version", ReadsSpecification},
    {"os", "min_deployment_version", IsNewEnough},
};

}  // namespace

std::vector<std::string> DeviceParts() {
  std::vector<std::string> parts;
  for (const PartRow& row : kParts) {
    if (parts.empty() || parts.back() != row.part) parts.emplace_back(row.part);
  }
  return parts;
}

Status CheckDevice(const TargetDevice& device) {
  for (const BlobFact& part : device.parts) {
    if (std::ranges::find(kParts, part.name, &PartRow::part) == std::end(kParts))
      return InvalidArgument(Text("has the part ", Quoted(part.name), ", ", Joined(DeviceParts(), ", "), " expected"));
    if (part.name == "os" && !ParseSystem(part.value))
      return InvalidArgument(
          Text("has the system ", Quoted(part.value), ", a name and a number such as ios17 expected"));
    if (part.value.empty()) return InvalidArgument(Text("has nothing as its ", part.name));
  }
  return {};
}

std::vector<std::string> MissingOnDevice(const TargetDevice& device, const Requirements& needs) {
  std::vector<std::string> missing;
  for (const BackendRequirement& backend : needs.backends) {
    std::set<std::pair<std::string_view, std::string_view>> known;  // several facts can tell the same
    for (const BlobFact& fact : backend.targets) {
      const auto* row = std::ranges::find(kParts, fact.name, &PartRow::fact);
      for (const BlobFact& part : device.parts) {
        if (row == std::end(kParts) || part.name != row->part || row->fits(fact.value, part.value)) continue;
        if (!known.emplace(row->part, fact.value).second) continue;
        missing.push_back(
            Text("backend ", backend.backend, " for ", fact.name, ' ', fact.value, ", it is ", part.value));
      }
    }
  }
  if (device.ram_bytes && needs.memory_bytes > *device.ram_bytes)
    missing.push_back(Text(needs.memory_bytes, " bytes of memory, it has ", *device.ram_bytes));
  if (device.data_files && needs.data_files > *device.data_files)
    missing.push_back(Text(needs.data_files, needs.data_files == 1 ? " data file" : " data files",
                           ", its loader takes ", *device.data_files));
  return missing;
}

}  // namespace pteedit
