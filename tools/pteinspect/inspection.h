// What was found in a file for the views to show.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_INSPECTION_H_
#define PTEEDIT_TOOLS_PTEINSPECT_INSPECTION_H_

#include <string>

#include "pteedit/container.h"
#include "pteedit/describe.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "views.h"

namespace pteedit::inspect {

// What views look at beside the container, so that nothing is looked for in vain. Bits.
enum Needs : unsigned { kNeedsNothing = 0, kNeedsDescription = 1 };

struct Inspection {
  std::string file;  // as the user called it
  Container container;
  SizeNode sizes;
  Description description;  // kNeedsDescription
};

// Opens and measures a file. Fails as Container::Open does.
Result<Inspection> Inspect(const std::string& file, const Views& views);

// The alignment that all of a file's segments with bytes share; 0 where there are none.
uint64_t CommonAlignment(const Description& description);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_INSPECTION_H_
