// How much a program grows when everything in it is listed: names of methods stand in each row of their values and
// instructions, names of operators in each call. A file of kilobytes could be made to list gigabytes.
#ifndef PTEEDIT_SRC_PROGRAM_LISTING_SIZE_H_
#define PTEEDIT_SRC_PROGRAM_LISTING_SIZE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "program/schema.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

// What listings of a file with tables of so many bytes may repeat.
uint64_t MostListedBytes(uint64_t tables_bytes, const ParseLimits& limits);
uint64_t MostListedBytes(const Container& file);

// Fails with kUnsupported where views of the program, whose indices are checked, would list more than that.
Status CheckListingSize(const schema::Program& program, uint64_t most);

// What a list of texts takes.
uint64_t ListedBytes(const std::vector<std::string>& texts);

// Takes what is listed from what a file may list.
class ListingBudget {
 public:
  // `limit` is the member of ParseLimits that `most` comes from.
  explicit ListingBudget(uint64_t most, const char* limit = "max_listing_factor")
      : limit_(limit), most_(most), left_(most) {}
  // Fails with kUnsupported where less is left; `what` says what is listed too often.
  Status Take(uint64_t bytes, const char* what);

 private:
  const char* limit_;
  uint64_t most_, left_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_LISTING_SIZE_H_
