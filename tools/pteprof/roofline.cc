#include "roofline.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace pteedit::cli {
namespace {

constexpr double kGiga = 1e9;

std::optional<double> ParsePositive(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

std::optional<double> Rate(std::optional<uint64_t> amount, double seconds) {
  if (!amount || seconds <= 0) return std::nullopt;
  return static_cast<double>(*amount) / seconds / kGiga;
}

}  // namespace

Result<Peak> ParsePeak(const std::string& text) {
  const size_t comma = text.find(',');
  const auto gmacs = ParsePositive(std::string_view(text).substr(0, comma));
  const auto gbytes = ParsePositive(comma == text.npos ? "" : std::string_view(text).substr(comma + 1));
  if (gmacs && gbytes) return Peak{*gmacs, *gbytes};
  return InvalidArgument("--roofline takes what the device can at most, GMAC/s,GB/s: two numbers above 0, not '" +
                         text + "'");
}

Roofline RooflineOf(const OperatorCost& cost, TimeScale scale, const Peak& peak) {
  Roofline found;
  if (!cost.work || cost.spread.runs == 0 || cost.calls == 0) return found;
  const double calls_a_run = static_cast<double>(cost.calls) / static_cast<double>(cost.spread.runs);
  const double seconds = cost.time / PerSecond(scale) / calls_a_run;
  found.gmacs = Rate(cost.work->macs, seconds);
  found.gbytes = Rate(cost.work->bytes, seconds);
  found.intensity = ArithmeticIntensity(*cost.work);
  if (!found.intensity) return found;
  const bool is_memory = *found.intensity * peak.gbytes < peak.gmacs;
  found.bound = is_memory ? "memory" : "compute";
  if (found.gmacs && found.gbytes) found.of_roof = is_memory ? *found.gbytes / peak.gbytes : *found.gmacs / peak.gmacs;
  return found;
}

}  // namespace pteedit::cli
