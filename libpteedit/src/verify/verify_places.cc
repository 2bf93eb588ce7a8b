#include "verify/verify_places.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

struct Range {
  size_t index = 0;
  Extent extent;
  uint64_t end() const { return extent.offset + extent.size; }
};

// The longest first where several begin at one place, then by index.
void PutInOrder(std::vector<Range>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tuple(a.extent.offset, b.extent.size, a.index) < std::tuple(b.extent.offset, a.extent.size, b.index);
  });
}

// Calls visit(range, around), `around` being the innermost range before it that is still open where it begins, or null.
template <class Visit>
void ForEachNested(const std::vector<Range>& ordered, Visit visit) {
  std::vector<const Range*> open;
  for (const Range& range : ordered) {
    while (!open.empty() && open.back()->end() <= range.extent.offset) open.pop_back();
    visit(range, open.empty() ? nullptr : open.back());
    open.push_back(&range);
  }
}

class PlaceVerifier {
 public:
  explicit PlaceVerifier(const Container& file) : file_(file) {}

  std::vector<Finding> Verify() {
    CheckSegments();
    if (file_.kind() == FileKind::kProgram) CheckBuffers();
    return std::move(found_).Take();
  }

 private:
  void CheckSegments() {
    std::vector<Range> ranges;
    ranges.reserve(file_.segments().size());
    for (size_t i = 0; i < file_.segments().size(); ++i) {
      if (file_.segments()[i].size != 0) ranges.push_back({i, file_.segments()[i]});
    }
    PutInOrder(ranges);
    size_t last = 0;
    ForEachNested(ranges, [&](const Range& range, const Range* around) {
      const std::string where = Text("segment ", range.index);
      if (around != nullptr && range.end() > around->end()) {
        found_.AddError("segment-overlap", where,
                        Text("begins at byte ", range.extent.offset, ", inside segment ", around->index,
                             ", and ends behind it: ", range.end(), ", not ", around->end()));
      } else if (around == nullptr && range.index < last) {
        found_.AddWarning("segment-order", where, Text("lies behind segment ", last, ", which no exporter writes so"));
      }
      if (around == nullptr) last = std::max(last, range.index);
    });
  }

  // The part of the program where the tensor's buffer is; null where it has none there.
  const schema::SubsegmentOffsets* PartOf(const schema::Tensor& tensor) const {
    const schema::Program& root = file_.state().program_root();
    const Store store = StoreOf(root, tensor);
    if (store == Store::kSegment) return root.constant_segment();
    if (store != Store::kMutable) return nullptr;
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    const uint64_t part = extra == nullptr ? 0 : extra->mutable_data_segments_idx();
    return root.mutable_data_segments()->Get(static_cast<uoffset_t>(part));
  }

  void CheckBuffers() {
    const schema::Program& root = file_.state().program_root();
    size_t plan_index = 0;
    for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
      size_t value_index = 0;
      for (const schema::EValue* value : OrEmpty(plan->values())) {
        const schema::Tensor* tensor = value->val_as_Tensor();
        const schema::SubsegmentOffsets* part = tensor == nullptr ? nullptr : PartOf(*tensor);
        const auto where = [&] {
          return Text("value ", value_index, " of method ", plan_index, " ", Quoted(ViewOf(plan->name())));
        };
        if (part != nullptr) CheckBuffer(*tensor, *part, where);
        ++value_index;
      }
      ++plan_index;
    }
    if (root.constant_segment() != nullptr) CheckOrder(*root.constant_segment(), "constant");
    for (const schema::SubsegmentOffsets* part : OrEmpty(root.mutable_data_segments())) CheckOrder(*part, "state");
  }

  template <class Where>
  void CheckBuffer(const schema::Tensor& tensor, const schema::SubsegmentOffsets& part, Where where) {
    const uint64_t bytes = ByteSize(LayoutOf(tensor)).value_or(0);
    const uint64_t begin = part.offsets()->Get(tensor.data_buffer_idx());
    const std::vector<uint64_t>& begins = BeginsOf(part);
    const auto next = std::upper_bound(begins.begin(), begins.end(), begin);
    if (next == begins.end() || bytes <= *next - begin) return;
    found_.AddError("buffer-too-short", where(),
                    Text("needs ", bytes, " bytes from byte ", begin, " of segment ", part.segment_index(),
                         ", where the next buffer begins at byte ", *next));
  }

  // Where the buffers of a part begin, ascending.
  const std::vector<uint64_t>& BeginsOf(const schema::SubsegmentOffsets& part) {
    const auto [place, is_new] = begins_.try_emplace(&part);
    if (is_new) {
      place->second.assign(part.offsets()->begin(), part.offsets()->end());
      std::sort(place->second.begin(), place->second.end());
    }
    return place->second;
  }

  // A place that occurred before is shared; each other one comes behind all before.
  void CheckOrder(const schema::SubsegmentOffsets& part, const char* what) {
    uint64_t last = 0;
    std::set<uint64_t> seen;
    const auto& offsets = OrEmpty(part.offsets());
    for (uoffset_t i = 1; i < offsets.size(); ++i) {
      if (!seen.insert(offsets.Get(i)).second) continue;
      if (offsets.Get(i) < last) {
        found_.AddWarning("buffer-order", Text(what, " buffer ", i),
                          Text("begins at byte ", offsets.Get(i),
                               ", before buffers with smaller numbers, which no "
                               "exporter writes so"));
        return;
      }
      last = offsets.Get(i);
    }
  }

  const Container& file_;
  Findings found_;
  std::map<const schema::SubsegmentOffsets*, std::vector<uint64_t>> begins_;
};

}  // namespace

std::vector<Finding> VerifyPlaces(const Container& file) {
  if (file.kind() == FileKind::kBundle) return {};
  return PlaceVerifier(file).Verify();
}

}  // namespace pteedit
