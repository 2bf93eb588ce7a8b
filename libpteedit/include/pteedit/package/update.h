// How a device gets the next release: what it has to fetch of a server that holds releases and deltas as folders, told
// before and whenever a download was cut, and the step to the new release once all is there.
#ifndef PTEEDIT_PACKAGE_UPDATE_H_
#define PTEEDIT_PACKAGE_UPDATE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/package/delta.h"
#include "pteedit/package/manifest.h"
#include "pteedit/package/release.h"
#include "pteedit/result.h"

namespace pteedit {

// Folders of the device.
struct UpdateFolders {
  std::string release;    // manifest.json of the new release, and what was fetched of its files
  std::string delta;      // the same of a delta from the installed release to the new one; empty: there is none
  std::string installed;  // the release that is there; may lack files, and need not exist
};

// One request to the server.
struct Fetch {
  bool is_of_delta = false;  // a file of the delta, else of the release: by its name below the URL of that
  std::string file;
  uint64_t offset = 0;  // so many bytes of it are in the folder already
  uint64_t bytes = 0;   // that follow, to the end of the file
  std::string sha256;   // of the whole file
};

struct UpdatePlan {
  std::string from;             // the release installed; empty where there is none that can be read
  std::string to;               // the new one
  std::vector<Fetch> fetches;   // in the order of names, those of the release first
  uint64_t fetch_bytes = 0;     // their sum
  uint64_t download_bytes = 0;  // what would be fetched if nothing were there: packed, without a delta
};

// For the variant of that name, for all where it is empty. A file comes out of the delta where the device has the old
// files for that and it is less to fetch. Of files that are there only the sizes are looked at; who fetched something
// wrong is told so by ApplyUpdate, and has to remove it. Where the new release is installed, a delta to it does
// nothing. Fails with kInvalidArgument where there is no such variant or the delta is not for these releases, and as
// OpenRelease does.
PTEEDIT_API Result<UpdatePlan> PlanUpdate(const UpdateFolders& folders, const std::string& variant);

// Makes the new release, or the variant of it, in the folder `to`, which may be the installed one with `replace`: as
// ApplyDelta does, and with the same promises; compressed files are unpacked, and its manifest names none. Fetched
// files get second names there where the file system can do that, so the folders may be removed afterwards. Fails with
// kInvalidArgument where something is still to be fetched.
PTEEDIT_API Result<ApplyReport> ApplyUpdate(const UpdateFolders& folders, const std::string& variant,
                                            const std::string& to, const ApplyOptions& options);

// That all files of a variant, of all where `variant` is empty, have the SHA-256 that the manifest says. Calls
// `progress` as ApplyDelta does. Fails with kMalformed about the first file that has not, with kIo where one lacks.
PTEEDIT_API Status CheckReleaseFiles(const Release& release, const std::string& variant,
                                     const std::function<bool(uint64_t done, uint64_t total)>& progress);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_UPDATE_H_
