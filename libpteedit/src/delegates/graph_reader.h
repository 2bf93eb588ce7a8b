// What decoders of flatbuffer graphs share: roots that can be followed, and limits on what a graph unfolds to.
#ifndef PTEEDIT_SRC_DELEGATES_GRAPH_READER_H_
#define PTEEDIT_SRC_DELEGATES_GRAPH_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "delegates/blob_reader.h"

namespace pteedit {

// As VerifiedRoot, but fails with kUnsupported, calling the flatbuffer `what`, where an offset leads out of it.
template <class Root>
Result<const Root*> SoundRoot(ByteSpan bytes, const char* what) {
  const Root* root = VerifiedRoot<Root>(bytes);
  if (root != nullptr) return root;
  return Unsupported(
      Text(what, " (", bytes.size, " bytes) is damaged: an offset leads out of it or a field is too long"));
}

// Copies strings and lists out of a graph, which may refer to each of them as often as it likes: what is copied is
// bounded by the graph's size.
class Unfolding {
 public:
  explicit Unfolding(uint64_t graph_bytes) : left_(graph_bytes * kFactor + kBaseBytes) {}

  // Empty once too much was taken.
  std::string Copy(const flatbuffers::String* text) {
    const std::string_view view = ViewOf(text);
    return Take(view.size()) ? std::string(view) : std::string();
  }
  // What is below zero, a size that is not known, becomes zero.
  template <class Number>
  std::vector<uint64_t> CopySizes(const flatbuffers::Vector<Number>* sizes) {
    std::vector<uint64_t> copy;
    if (!Take(uint64_t{OrEmpty(sizes).size()} * sizeof(uint64_t))) return copy;
    for (const Number size : OrEmpty(sizes)) copy.push_back(size > 0 ? static_cast<uint64_t>(size) : 0);
    return copy;
  }
  bool Take(uint64_t bytes) {
    is_exceeded_ = is_exceeded_ || bytes > left_;
    if (!is_exceeded_) left_ -= bytes;
    return !is_exceeded_;
  }

  // kUnsupported, calling the graph `what`, where too much was taken.
  Status Check(const char* what) const {
    if (!is_exceeded_) return {};
    return Unsupported(Text(what, " refers to its strings and lists so often that copies would be far larger than it"));
  }

 private:
  static constexpr uint64_t kFactor = 8;  // how often a graph may share them, on average; a size is unfolded to 8 bytes
  static constexpr uint64_t kBaseBytes = uint64_t{1} << 20;
  uint64_t left_;
  bool is_exceeded_ = false;
};

// Whether a table has fields behind the first `known`, as a later release may write.
template <class Table>
bool HasNewerFields(const Table& table, size_t known) {
  const uint8_t* fields = reinterpret_cast<const flatbuffers::Table&>(table).GetVTable();
  return Load<flatbuffers::voffset_t>(fields) >= flatbuffers::FieldIndexToOffset(0) + (known + 1) * sizeof(uint16_t);
}

// A warning about fields that no release up to 1.5 writes: nobody knows what else they ask for.
inline Finding NewerFields(const char* table) {
  return {"blob-unknown-fields", Severity::kWarning, "graph",
          Text("table '", table, "' has fields that no release up to 1.5 knows")};
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_GRAPH_READER_H_
