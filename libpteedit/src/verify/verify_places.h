// Whether segments and buffers lie beside each other: no field stores where a buffer ends, and no runtime compares
// places.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_PLACES_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_PLACES_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/finding.h"

namespace pteedit {

// Of a program or data file; of a bundle nothing. Ranges may be the same or lie one inside the other, as equal contents
// share their bytes, but not overlap in part, and a buffer ends where the next one begins.
std::vector<Finding> VerifyPlaces(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_PLACES_H_
