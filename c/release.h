// The handle of a release.
#ifndef PTEEDIT_C_RELEASE_H_
#define PTEEDIT_C_RELEASE_H_

#include "pteedit.h"
#include "pteedit/package/release.h"

struct pteedit_release {
  const pteedit::Release release;
};

#endif  // PTEEDIT_C_RELEASE_H_
