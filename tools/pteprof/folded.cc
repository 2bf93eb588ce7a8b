#include "folded.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "costs.h"
#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

// Nanoseconds, or cycles.
double UnitsIn(TimeScale scale) { return scale == TimeScale::kCycles ? 1 : 1e9 / PerSecond(scale); }

// Without what ends a frame, and what ends all of them.
std::string Frame(std::string_view name) {
  std::string frame = EscapeControl(name);
  std::replace(frame.begin(), frame.end(), ';', ':');
  return frame;
}

class Folder {
 public:
  explicit Folder(TimeScale scale) : units_(UnitsIn(scale)) {}

  void Add(const BlockCosts& block) {
    const std::string root = Frame(BlockCostsText(block));
    std::string call;  // that rows of a delegate belong to
    double left = 0;   // of it
    for (const OperatorCost& cost : block.operators) {
      if (cost.is_in_delegate) {
        Put(call + ";" + Frame(cost.name), cost.time);
        left -= cost.time;
        continue;
      }
      Put(call, left);
      call = root + ModuleFrames(cost.more->module) + ";" + Frame(cost.name) +
             (cost.backend.empty() ? "" : " " + Frame(cost.backend));
      left = cost.time;
    }
    Put(call, left);
    Put(root + ";" + kOverhead, block.overhead);
    Put(root + ";" + kRest, block.rest);
  }

  std::string Text() const {
    std::string text;
    for (const auto& [stack, time] : times_) {
      const auto units = static_cast<int64_t>(std::llround(time * units_));
      if (units > 0) text += stack + " " + std::to_string(units) + "\n";
    }
    return text;
  }

 private:
  static std::string ModuleFrames(const std::string& path) {
    std::string frames = path.empty() ? "" : ";" + Frame(path);
    std::replace(frames.begin(), frames.end(), '.', ';');
    return frames;
  }

  void Put(const std::string& stack, double time) {
    if (time > 0) times_[stack] += time;
  }

  const double units_;
  std::map<std::string, double> times_;
};

}  // namespace

std::string FoldedText(const std::vector<BlockCosts>& blocks, TimeScale scale) {
  Folder folder(scale);
  for (const BlockCosts& block : blocks) folder.Add(block);
  return folder.Text();
}

}  // namespace pteedit::cli
