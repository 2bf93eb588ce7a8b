// Every operation there is on a file of each kind, each measured.
#ifndef PTEEDIT_FUZZ_COST_OPERATIONS_H_
#define PTEEDIT_FUZZ_COST_OPERATIONS_H_

#include <cstddef>
#include <memory>

#include "pteedit/container.h"
#include "pteedit/profile/profile_kind.h"

namespace pteedit::fuzz {

void MeasureProfileOperations(const std::shared_ptr<const Source>& source, ProfileKind kind, size_t size);
void MeasureLooking(const Container& file, size_t size);
void MeasureRewriting(const Container& file, size_t size);

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_COST_OPERATIONS_H_
