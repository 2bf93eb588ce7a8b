// The first step of a merge: everything that the sets hold and could share, with who reads it and which of it is equal.
#ifndef PTEEDIT_SRC_MERGE_MERGE_INVENTORY_H_
#define PTEEDIT_SRC_MERGE_MERGE_INVENTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edit/base_files.h"
#include "io/content_index.h"
#include "io/digest.h"
#include "merge/previous_contents.h"
#include "program/constants.h"
#include "program/file_set.h"
#include "pteedit/merge.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/shared_text.h"

namespace pteedit {

// Bytes that one set has, under a key or, inside its program, under none. There may be as many as tables.
struct Claim {
  uint32_t set = 0;
  uint32_t content = 0;                 // the same number for all claims with the same bytes
  const Container* file = nullptr;      // where it is
  Extent extent;                        // in the file
  uint64_t alignment = 16;              // that its place has by no accident
  uint64_t page_alignment = 0;          // where it lies on a page, perhaps by accident: of that
  uint64_t padding_left = 0;            // that a page behind it may make of its place inside the program
  SharedOptional<TensorLayout> layout;  // as the tensors read it, or the entry of the data file says
  Rare<std::vector<ConstantUse>> uses;  // tensors that read it: of this layout, or by this key
  SharedText constant;                  // its name; empty of what has a key
  Rare<BaseAnswer> base;                // which serves it, or why none does

  // Only with a key:
  std::string_view key;
  OptionalIndex entry;        // among the program's named data
  bool in_data = false;       // in a data file, or there as well
  bool for_delegate = false;  // some delegate mentions it
  bool for_state = false;     // some mutable buffer begins with it; apps reach those by this name
  bool bytes_stay = false;    // something else in the program has the same bytes in the same place

  bool is_constant = false;  // inside the program; otherwise it has a key
  std::string name() const;  // of the constant, or as the key is shown
  const Source* source() const { return file->source().get(); }
  ContentPlace place() const { return {file->source(), extent}; }
  bool is_served() const { return base->entry != nullptr; }
  bool in_demand() const { return for_delegate || !uses->empty(); }
  bool is_needed() const { return is_constant || in_demand(); }
  // An entry of the program that no delegate mentions stays: the app may read it.
  bool stays_in_program() const { return entry.has_value() && !for_delegate; }
};

struct Inventory {
  BaseFiles bases;
  PreviousContents previous;
  size_t sets = 0;
  std::deque<Claim> claims;          // by set; constants in order of first use, then keys in order
  std::vector<uint32_t> by_content;  // the claims in order of contents, those of one as they are listed
  std::set<size_t> matched;          // contents that MergeOptions::match holds
  // Of what may get a content key, in order of contents.
  std::vector<std::pair<size_t, Sha256Digest>> digests;
  std::vector<SkippedItem> skipped;  // what was never a question
};

// The indices of the first and of the one behind the last.
std::pair<size_t, size_t> ClaimsOfSet(const Inventory& inventory, size_t set);
// For each content those that have it, by set.
std::vector<std::span<const uint32_t>> ClaimsByContent(const Inventory& inventory);

// `sets` must outlive the result. Fails as MergePrograms does.
Result<Inventory> TakeInventory(const std::vector<MergeSet>& sets, const MergeOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_MERGE_INVENTORY_H_
