#include "profile/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pteedit {
namespace {

constexpr size_t kLanes = 8;
constexpr size_t kBlock = 128;  // what is added up in lanes; more is split

double Sum(const double* samples, size_t count) {
  if (count < kLanes) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += samples[i];
    return sum;
  }
  if (count > kBlock) {
    const size_t half = count / 2 / kLanes * kLanes;
    return Sum(samples, half) + Sum(samples + half, count - half);
  }
  double lanes[kLanes];
  for (size_t i = 0; i < kLanes; ++i) lanes[i] = samples[i];
  size_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += samples[i + lane];
  }
  double sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  for (; i < count; ++i) sum += samples[i];
  return sum;
}

}  // namespace

double Percentile(const std::vector<double>& sorted, double percent) {
  const double place = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto index = static_cast<size_t>(std::floor(place));
  const double below = sorted[index], above = sorted[std::min(index + 1, sorted.size() - 1)];
  const double part = place - std::floor(place);
  return part < 0.5 ? below + (above - below) * part : above - (above - below) * (1 - part);
}

double Mean(const std::vector<double>& samples) {
  return Sum(samples.data(), samples.size()) / static_cast<double>(samples.size());
}

}  // namespace pteedit
