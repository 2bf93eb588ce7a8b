// ETRecords: what the exporter notes of a program that it wrote.
#ifndef PTEEDIT_PROFILE_ETRECORD_H_
#define PTEEDIT_PROFILE_ETRECORD_H_

#include <memory>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Whether a record is of a program, or of another of the same structure: they have methods in common, and for each of
// these, calls of delegates are where the program has them and of the same backends, and most kernels are of its
// operators. Finds what blocks cannot tell: they have no operators of kernels that did not run. Fails with kUnsupported
// where it is not, kMalformed where the record is damaged, kIo where one cannot be read; blames the record.
PTEEDIT_API Status CheckRecordOf(const Container& program, const std::shared_ptr<const Source>& record);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_ETRECORD_H_
