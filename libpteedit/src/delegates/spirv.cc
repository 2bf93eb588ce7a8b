#include "delegates/spirv.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "delegates/spirv_work.h"
#include "delegates/tosa.h"

namespace pteedit {
namespace {

constexpr uint32_t kSpirVMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpExtension = 10, kOpExtInstImport = 11, kOpExtInst = 12;
constexpr uint32_t kInstructions = 66;  // in the set: RESCALE is the last

// In a TOSA graph; 0 where there is none. The set leaves out UNKNOWN, the first of the graph's numbers, and its
// constants behind RESCALE.
uint32_t TosaNumberOf(uint32_t instruction) { return instruction < kInstructions ? instruction + 1 : 0; }

std::string SpirVNameOf(uint32_t instruction) {
  const uint32_t number = TosaNumberOf(instruction);
  return number != 0 ? TosaOperatorName(number) : Text("op #", instruction);
}

// Text in words ends with a zero byte.
std::string_view TextIn(std::span<const uint32_t> words) {
  const std::string_view text(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  return text.substr(0, text.find('\0'));
}

}  // namespace

Result<SpirVModule> ReadSpirV(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords || words[0] != kSpirVMagic)
    return Unsupported(Text("SPIR-V module of ", words.size(), " words has no header"));
  SpirVModule module;
  std::set<uint32_t> sets;
  SpirVWork measurer;
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t count = words[at] >> 16, code = words[at] & 0xFFFF;
    if (count == 0 || count > words.size() - at) {
      return Unsupported(
          Text("SPIR-V instruction at word ", at, " has ", count, " words, ", words.size() - at, " are left"));
    }
    const std::span<const uint32_t> instruction = words.subspan(at, count);
    if (code == kOpExtension) module.extensions.emplace_back(TextIn(instruction.subspan(1)));
    if (code == kOpExtInstImport && count > 2 && TextIn(instruction.subspan(2)).starts_with("TOSA."))
      sets.insert(instruction[1]);
    measurer.Learn(instruction);
    if (code == kOpExtInst && count > 4 && sets.contains(instruction[3])) {
      module.operators.push_back(SpirVNameOf(instruction[4]));
      module.work.push_back(measurer.Of(instruction, TosaNumberOf(instruction[4])));
    }
    at += count;
  }
  return module;
}

}  // namespace pteedit
