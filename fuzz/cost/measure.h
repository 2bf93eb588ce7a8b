// What an operation costs: processor time, and memory, which this counts by replacing new and delete.
#ifndef PTEEDIT_FUZZ_COST_MEASURE_H_
#define PTEEDIT_FUZZ_COST_MEASURE_H_

#include <cstddef>
#include <functional>

namespace pteedit::fuzz {

// Promises that an operation on `input` bytes takes at most 10 s, and at most 64 MiB and 6 times the input of memory;
// prints each new worst, per byte of input.
void Measure(const char* operation, size_t input, const std::function<void()>& run);

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_COST_MEASURE_H_
