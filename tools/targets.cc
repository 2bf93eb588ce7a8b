#include "targets.h"

#include <charconv>
#include <memory>
#include <set>
#include <utility>

#include "file_names.h"
#include "input_files.h"
#include "pteedit/try.h"
#include "sizes_text.h"

namespace pteedit::cli {
namespace {

bool IsDevice(const std::string& offer) {
  return offer.find('=') != offer.npos && offer.substr(0, offer.find('=')).find('/') == offer.npos;
}

Result<uint64_t> ParseCount(const std::string& text) {
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size()) return count;
  return InvalidArgument("has '" + text + "' data files, a number expected");
}

Result<Target> DeviceOf(const std::string& offer) {
  Target target;
  target.name = offer;
  const Result<std::vector<std::string>> words = SplitSet(offer);
  if (!words) return InvalidArgument("has an empty part, PART=VALUE expected");
  std::set<std::string> parts;
  for (const std::string& word : *words) {
    const size_t between = word.find('=');
    if (between == word.npos) return InvalidArgument("has '" + word + "', PART=VALUE expected");
    const std::string part = word.substr(0, between), value = word.substr(between + 1);
    if (!parts.insert(part).second) return InvalidArgument("has the part '" + part + "' twice");
    if (part == "ram") {
      PTEEDIT_ASSIGN(target.device.ram_bytes, ParseSize(value));
    } else if (part == "ptd") {
      PTEEDIT_ASSIGN(target.device.data_files, ParseCount(value));
    } else {
      target.device.parts.push_back({part, value});
    }
  }
  PTEEDIT_TRY(CheckDevice(target.device));
  return target;
}

// A release, and behind a comma what is told of a device that has it.
Result<Target> ReleaseWith(const std::string& offer) {
  const size_t end = offer.find(',');
  PTEEDIT_ASSIGN(Target target, FindTarget(offer.substr(0, end)));
  if (end == offer.npos) return target;
  PTEEDIT_ASSIGN(Target device, DeviceOf(offer.substr(end + 1)));
  if (!device.device.data_files) device.device.data_files = target.device.data_files;
  target.device = std::move(device.device);
  target.name = offer;
  return target;
}

Result<Target> BuildOf(const std::string& offer) {
  PTEEDIT_ASSIGN(const std::vector<std::string> files, SplitSet(offer));
  PTEEDIT_ASSIGN(const std::vector<std::shared_ptr<const Source>> parts, OpenPaths(files));
  return ReadTarget(parts);
}

}  // namespace

Result<std::vector<Target>> FindTargets(const char* option, const std::vector<std::string>& offers) {
  std::vector<Target> targets;
  for (const std::string& offer : offers) {
    Result<Target> target = NamesRelease(offer) ? ReleaseWith(offer)
                            : IsDevice(offer)   ? DeviceOf(offer)
                                                : BuildOf(offer);
    if (!target && target.error().file.empty())
      return InvalidArgument(std::string(option) + " " + target.error().message);
    if (!target) return target.error();
    targets.push_back(*std::move(target));
  }
  return targets;
}

std::vector<std::string> FilesOfTargets(const std::vector<std::string>& offers) {
  std::vector<std::string> files;
  for (const std::string& offer : offers) {
    if (NamesRelease(offer) || IsDevice(offer)) continue;
    const Result<std::vector<std::string>> names = SplitSet(offer);
    if (names) files.insert(files.end(), names->begin(), names->end());
  }
  return files;
}

std::string VerdictOf(const Target& target, const std::vector<RuntimeNeed>& missing) {
  const std::string guess = target.is_guess ? ", as far as its texts tell" : "";
  if (missing.empty()) return target.name + " has what it needs" + guess;
  return target.name + " lacks " + std::to_string(missing.size()) + " of what it needs" + guess;
}

}  // namespace pteedit::cli
