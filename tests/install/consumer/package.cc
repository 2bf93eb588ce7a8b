// What a user of the third library might write: whether a release is there.
#include <cstdio>

#include "pteedit/package/release.h"

int main() {
  const auto release = pteedit::OpenRelease("no such folder");
  if (release || release.error().code != pteedit::ErrorCode::kIo) {
    std::puts("a release was found where there is none");
    return 1;
  }
  const auto manifest = pteedit::ReadManifest(*pteedit::MakeViewSource("nothing", {}));
  return manifest ? 1 : 0;
}
