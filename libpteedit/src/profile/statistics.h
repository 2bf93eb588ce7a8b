// Statistics as numpy computes them, to the last digit.
#ifndef PTEEDIT_SRC_PROFILE_STATISTICS_H_
#define PTEEDIT_SRC_PROFILE_STATISTICS_H_

#include <vector>

namespace pteedit {

// Linear interpolation between the two samples around the place `percent` / 100 of the way. `sorted` ascends and is not
// empty.
double Percentile(const std::vector<double>& sorted, double percent);

// Added up in pairs of halves, eight partial sums each. Not empty.
double Mean(const std::vector<double>& samples);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_STATISTICS_H_
