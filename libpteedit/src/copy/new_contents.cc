#include "copy/new_contents.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "inspect/stored_forms.h"
#include "io/digest.h"
#include "io/strided_source.h"
#include "pteedit/dtypes.h"
#include "pteedit/near_matches.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kNearContents = 3;

// Elements of a file, one behind the other.
struct Array {
  std::string dtype;  // empty: of a type that NumPy does not have
  uint64_t element_bytes = 0;
  std::vector<uint64_t> sizes;
  bool fortran_order = false;
  std::shared_ptr<const Source> bytes;
};

template <class Sizes>
std::string TypeText(const std::string& dtype, const Sizes& sizes) {
  return Text(dtype, "[", Joined(sizes, ","), "]");
}

bool SameType(const std::string& dtype, const Array& array) {
  const bool is_foreign = dtype.starts_with("bfloat") || dtype.starts_with("float8");
  return array.dtype.empty() ? is_foreign : array.dtype == dtype;
}

PlannedFile AllOf(std::shared_ptr<const Source> source) {
  const uint64_t size = source->size();
  PlannedFile bytes;
  bytes.Append(std::move(source), {0, size});
  return bytes;
}

// In the order in which the layout has the elements.
Result<PlannedFile> InOrderOf(const TensorLayout& layout, const Array& array) {
  if (array.bytes->size() == 0) return AllOf(array.bytes);
  const size_t count = array.sizes.size();
  std::vector<int64_t> strides(count);
  int64_t stride = 1;
  for (size_t i = 0; i < count; ++i) {
    const size_t dimension = array.fortran_order ? i : count - 1 - i;
    strides[dimension] = stride;
    stride *= static_cast<int64_t>(array.sizes[dimension]);
  }
  StridedLayout order{array.element_bytes, 0, {}, {}};
  for (size_t i = 0; i < count; ++i) {
    const size_t dimension = layout.dim_order.empty() ? i : layout.dim_order[i];
    order.sizes.push_back(static_cast<int64_t>(array.sizes[dimension]));
    order.strides.push_back(strides[dimension]);
  }
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> ordered, MakeStridedSource(array.bytes, std::move(order)));
  return AllOf(std::move(ordered));
}

bool IsSmallInteger(std::string_view dtype) { return dtype.ends_with("int4") || dtype.ends_with("int8"); }

// As the content is stored; kInvalidArgument where that has other sizes or another type.
Result<PlannedFile> AsStored(const Content& content, const Array& array) {
  constexpr const char* kQuantized = "quantized numbers cannot be replaced by others";
  const bool is_quantized = IsSmallInteger(content.dtype) && array.dtype != content.dtype;
  if (content.layouts.empty())
    return InvalidArgument(is_quantized ? Text("is ", content.dtype, "; ", kQuantized)
                                        : "nothing tells its sizes and type");
  for (const TensorLayout& layout : content.layouts) {
    const bool same_sizes = std::equal(layout.sizes.begin(), layout.sizes.end(), array.sizes.begin(), array.sizes.end(),
                                       [](int32_t a, uint64_t b) { return a >= 0 && static_cast<uint64_t>(a) == b; });
    if (!same_sizes || !SameType(content.dtype, array)) continue;
    PTEEDIT_ASSIGN(PlannedFile bytes, InOrderOf(layout, array));
    if (bytes.size() == content.extent.size) return bytes;
  }
  return InvalidArgument(Text("is ", TypeText(content.dtype, content.layouts.front().sizes), " and there ",
                              TypeText(array.dtype.empty() ? "raw" : array.dtype, array.sizes),
                              is_quantized ? Text("; ", kQuantized) : ""));
}

Result<Array> ReadNpy(const std::shared_ptr<const Source>& file) {
  Result<NpyArray> npy = ReadNpyHeader(*file);
  if (!npy) return std::move(npy).error().In(file->name());
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> bytes, MakeWindowSource(file, npy->place));
  return Array{npy->dtype, npy->element_bytes, npy->sizes, npy->fortran_order, std::move(bytes)};
}

std::string AlsoCalled(const Content& content) {
  const std::vector<std::string> others(content.names.begin() + 1, content.names.end());
  return Text(Quoted(content.names.front()), " is ", Joined(others, ", ", Quoted), ", too: all of them changed");
}

// One checkpoint on its way into the contents.
class Refitter {
 public:
  Refitter(StoredContents& contents, const std::shared_ptr<const Source>& checkpoint, const CopyOptions& options,
           RewriteReport& report)
      : contents_(contents), checkpoint_(checkpoint), options_(options), report_(report) {}

  Status Run() {
    PTEEDIT_TRY(ReadArrays());
    for (const ContentName& old : options_.names) old_.emplace(old.name, &old);
    size_t fitted = 0;
    std::string first_misfit;
    for (size_t i = 0; i < contents_.list().size(); ++i) {
      const Content& content = contents_.list()[i];
      if (content.extent.size == 0 || content.names.empty()) continue;
      PTEEDIT_ASSIGN(const std::string why_not, Fit(i));
      if (why_not.empty()) ++fitted;
      if (why_not.empty()) continue;
      report_.skipped.push_back({content.what, content.names.front(), content.extent.size, why_not});
      const std::string* name = NameIn(content);
      if (first_misfit.empty() && name != nullptr) first_misfit = Text(": ", Quoted(*name), " ", why_not);
    }
    for (const auto& [name, bytes] : contents_.opaque_blobs())
      report_.skipped.push_back(
          {"delegate", name, bytes, std::string("what a backend packed or quantized cannot be replaced")});
    if (fitted == 0)
      return InvalidArgument(
          Text("no tensor of ", checkpoint_->name(), " has name, type and sizes of a content here", first_misfit));
    if (used_.size() < arrays_.size())
      report_.notes.push_back(Text(arrays_.size() - used_.size(), " of ", arrays_.size(), " tensors of ",
                                   checkpoint_->name(), " are not stored here by that name"));
    return {};
  }

 private:
  Status ReadArrays() {
    Result<SafetensorsHeader> header = ReadSafetensorsHeader(*checkpoint_);
    if (!header) return std::move(header).error().In(checkpoint_->name());
    constexpr uint64_t kByteBits = 8;
    for (SafetensorsEntry& entry : header->entries) {
      PTEEDIT_ASSIGN(std::shared_ptr<const Source> bytes, MakeWindowSource(checkpoint_, entry.place));
      arrays_.emplace(std::move(entry.name), Array{CommonDtype(entry.dtype), entry.bits / kByteBits,
                                                   std::move(entry.sizes), false, std::move(bytes)});
    }
    return {};
  }

  // That the checkpoint has, too; null for none.
  const std::string* NameIn(const Content& content) const {
    const auto name = std::find_if(content.names.begin(), content.names.end(),
                                   [&](const std::string& one) { return arrays_.count(one) != 0; });
    return name == content.names.end() ? nullptr : &*name;
  }

  // Why content `index` stays; empty where it changes.
  Result<std::string> Fit(size_t index) {
    const Content& content = contents_.list()[index];
    const std::string* name = NameIn(content);
    if (name == nullptr) return Text("not in ", checkpoint_->name());
    used_.insert(*name);
    if (!content.why_fixed.empty()) return content.why_fixed;
    const Array& array = arrays_.find(*name)->second;
    const auto old = old_.find(*name);
    Result<PlannedFile> bytes = old == old_.end() ? AsStored(content, array) : AsOldOne(content, *old->second, array);
    if (!bytes && bytes.error().code == ErrorCode::kInvalidArgument) return bytes.error().message;
    if (!bytes) return std::move(bytes).error();
    contents_.Put(index, *std::move(bytes));
    report_.items.push_back(
        {content.what, *name, content.key, content.extent.size, checkpoint_->name(), options_.output_name});
    return std::string();
  }

  // As the content is made of the old tensor that gave it its name.
  Result<PlannedFile> AsOldOne(const Content& content, const ContentName& old, const Array& array) {
    const bool is_alike =
        old.sizes == array.sizes && old.bytes == array.bytes->size() && (old.dtype.empty() || old.dtype == array.dtype);
    if (old.data == nullptr || !is_alike)
      return InvalidArgument("has another type, other sizes or bytes than the tensor that named it");
    PTEEDIT_ASSIGN(const Sha256Digest stored, Sha256Of(*contents_.file().source(), content.extent));
    for (const StoredForm& form : StoredFormsOf(old)) {
      const bool is_whole = form.kind == StoredForm::Kind::kPlain || form.kind == StoredForm::Kind::kTransposed;
      if (form.bytes != content.extent.size || !is_whole) continue;
      PTEEDIT_ASSIGN(const std::optional<Sha256Digest> digest, DigestOf(old, form));
      if (!digest || *digest != stored) continue;
      std::shared_ptr<const Source> numbers = InTypeOf(form, old, array.bytes);
      if (form.kind == StoredForm::Kind::kPlain) return AllOf(std::move(numbers));
      const auto batches = static_cast<int64_t>(form.batches), rows = static_cast<int64_t>(form.rows),
                 columns = static_cast<int64_t>(form.columns);
      PTEEDIT_ASSIGN(std::shared_ptr<const Source> transposed,
                     MakeStridedSource(std::move(numbers),
                                       {form.element, 0, {batches, columns, rows}, {rows * columns, 1, columns}}));
      return AllOf(std::move(transposed));
    }
    return InvalidArgument("is not stored as in the checkpoint, perhaps packed");
  }

  StoredContents& contents_;
  const std::shared_ptr<const Source>& checkpoint_;
  const CopyOptions& options_;
  RewriteReport& report_;
  std::map<std::string, Array, std::less<>> arrays_;
  std::map<std::string_view, const ContentName*> old_;
  std::set<std::string> used_;
};

// What a random word of eight bytes becomes: of floating numbers the exponent stays, so that all are from a half to
// one.
struct Filling {
  std::string_view dtype;
  uint64_t keep = 0, set = 0;
};
constexpr Filling kFillings[] = {{"float16", 0x83FF83FF83FF83FF, 0x3800380038003800},
                                 {"bfloat16", 0x807F807F807F807F, 0x3F003F003F003F00},
                                 {"float32", 0x807FFFFF807FFFFF, 0x3F0000003F000000},
                                 {"complex64", 0x807FFFFF807FFFFF, 0x3F0000003F000000},
                                 {"float64", 0x800FFFFFFFFFFFFF, 0x3FE0000000000000},
                                 {"complex128", 0x800FFFFFFFFFFFFF, 0x3FE0000000000000},
                                 {"int4", ~uint64_t{0}, 0},
                                 {"uint4", ~uint64_t{0}, 0},
                                 {"int8", ~uint64_t{0}, 0},
                                 {"uint8", ~uint64_t{0}, 0},
                                 {"int16", ~uint64_t{0}, 0},
                                 {"uint16", ~uint64_t{0}, 0}};

uint64_t Mixed(uint64_t state) {  // SplitMix64
  state += 0x9E3779B97F4A7C15;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

PlannedFile RandomNumbers(const Filling& filling, uint64_t stream, uint64_t size) {
  const auto fill = [filling, stream](uint64_t offset, MutableByteSpan out) -> Status {
    constexpr uint64_t kWord = sizeof(uint64_t);
    for (size_t i = 0; i < out.size; ++i) {
      const uint64_t place = offset + i, word = (Mixed(stream + place / kWord) & filling.keep) | filling.set;
      out.data[i] = static_cast<uint8_t>(word >> (place % kWord * 8));
    }
    return {};
  };
  return AllOf(MakeCallbackSource("random numbers", size, fill));
}

PlannedFile Filled(const Content& content, const Splat& splat, size_t index) {
  const auto* filling = std::find_if(std::begin(kFillings), std::end(kFillings),
                                     [&](const Filling& one) { return one.dtype == content.dtype; });
  if (splat.seed && filling != std::end(kFillings))
    return RandomNumbers(*filling, Mixed(Mixed(*splat.seed) + index), content.extent.size);
  PlannedFile zeros;  // also of indices, which any other number could lead astray
  zeros.AppendZeros(content.extent.size);
  return zeros;
}

std::string WhyNoSplat(const Content& content) {
  if (!content.why_fixed.empty()) return content.why_fixed;
  if (content.is_scale) return "backends check scales";
  return content.dtype.empty() ? "nothing tells what its elements are" : "";
}

}  // namespace

Status ReplaceContent(StoredContents& contents, const NewContent& content, const CopyOptions& options,
                      RewriteReport& report) {
  const std::vector<Content>& list = contents.list();
  const auto found = std::find_if(list.begin(), list.end(), [&](const Content& one) {
    return std::find(one.names.begin(), one.names.end(), content.name) != one.names.end();
  });
  if (found == list.end()) {
    std::vector<std::string> names;
    for (const Content& one : list) names.insert(names.end(), one.names.begin(), one.names.end());
    const std::vector<std::string> near = NearMatches(names, content.name, kNearContents);
    return InvalidArgument(Text("has no content ", Quoted(content.name),
                                near.empty() ? "" : Text(", did you mean ", Joined(near, ", ", Quoted), "?")));
  }
  const std::string shown = Text("content ", Quoted(content.name), " ");
  if (!found->why_fixed.empty()) return InvalidArgument(shown + "cannot change: " + found->why_fixed);
  PTEEDIT_ASSIGN(const bool is_npy, IsNpy(*content.file));
  PlannedFile bytes = AllOf(content.file);
  if (is_npy) {
    PTEEDIT_ASSIGN(const Array array, ReadNpy(content.file));
    Result<PlannedFile> stored = AsStored(*found, array);
    if (!stored) return InvalidArgument(shown + stored.error().message);
    bytes = *std::move(stored);
  }
  if (bytes.size() != found->extent.size)
    return InvalidArgument(
        Text(shown, "has ", found->extent.size, " bytes, ", content.file->name(), " has ", bytes.size()));
  contents.Put(static_cast<size_t>(found - list.begin()), std::move(bytes));
  report.items.push_back(
      {found->what, content.name, found->key, found->extent.size, content.file->name(), options.output_name});
  if (found->names.size() > 1 && found->key.empty()) report.notes.push_back(AlsoCalled(*found));
  return {};
}

Status Refit(StoredContents& contents, const std::shared_ptr<const Source>& checkpoint, const CopyOptions& options,
             RewriteReport& report) {
  return Refitter(contents, checkpoint, options, report).Run();
}

void SplatContents(StoredContents& contents, const Splat& splat, const std::string& file, RewriteReport& report) {
  for (size_t i = 0; i < contents.list().size(); ++i) {
    const Content& content = contents.list()[i];
    if (content.extent.size == 0) continue;
    const std::string why_not = WhyNoSplat(content);
    if (why_not.empty()) {
      contents.Put(i, Filled(content, splat, i));
      report.items.push_back({content.what, ShownName(content), content.key, content.extent.size, file, {}});
    } else {
      report.skipped.push_back({content.what, ShownName(content), content.extent.size, why_not});
    }
  }
  for (const auto& [name, bytes] : contents.opaque_blobs())
    report.skipped.push_back({"delegate", name, bytes, std::string("its blob may have weights inside")});
}

}  // namespace pteedit
