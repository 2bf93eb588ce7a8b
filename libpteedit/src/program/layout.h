// Element types, sizes and layouts of tensors as they stand in the tables.
#ifndef PTEEDIT_SRC_PROGRAM_LAYOUT_H_
#define PTEEDIT_SRC_PROGRAM_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "formats/safetensors.h"
#include "program/schema.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

// The runtime's own limit is 16; more is nothing that an exporter writes.
inline constexpr size_t kMaxDimensions = 64;

// Bytes of one element; nothing where the type is unknown.
std::optional<uint64_t> ElementSize(int8_t scalar_type);

// Copies a layout out of the tables. A missing vector reads as empty.
TensorLayout LayoutFrom(int8_t scalar_type, const flatbuffers::Vector<int32_t>* sizes,
                        const flatbuffers::Vector<uint8_t>* dim_order);
TensorLayout LayoutOf(const schema::Tensor& tensor);

// One SharedOptional for each layout: files have few.
class SharedLayouts {
 public:
  // Stays where it is.
  const SharedOptional<TensorLayout>& operator()(TensorLayout layout);

 private:
  struct IsBefore {
    using is_transparent = void;
    static const TensorLayout& Of(const TensorLayout& layout) { return layout; }
    static const TensorLayout& Of(const SharedOptional<TensorLayout>& layout) { return *layout; }
    static bool Compare(const TensorLayout& a, const TensorLayout& b);
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return Compare(Of(a), Of(b));
    }
  };
  std::set<SharedOptional<TensorLayout>, IsBefore> layouts_;
};

// The one whose last dimension runs fastest.
TensorLayout RowMajor(int8_t scalar_type, std::vector<int32_t> sizes);

// What a .safetensors calls an element type, "F32"; empty where it has no word.
std::string_view SafetensorsType(int8_t scalar_type);
// kUnsupported where data files have no such elements or sizes.
Result<TensorLayout> LayoutOf(const SafetensorsEntry& entry);

// The bytes that an entry's tensor reads; its segment may be longer.
Extent ContentOf(const NamedEntry& entry);

// That the sizes are not negative, their product is no overflow, and dim_order is a permutation of the dimensions (or,
// as old exporters do, absent).
Status CheckLayout(const TensorLayout& layout);

// Where the runtime looks for a tensor's bytes.
enum class Store {
  kPlanned,   // in no file: an activation, input or output
  kSegment,   // constant in the constant segment
  kInline,    // constant inside the tables (old programs)
  kMutable,   // initial state in a mutable data segment
  kExternal,  // in a data file, by key
};
Store StoreOf(const schema::Program& program, const schema::Tensor& tensor);
// Whether the bytes are in the program's file.
inline bool IsStored(Store store) { return store != Store::kPlanned && store != Store::kExternal; }

// Whether constants lie in a constant segment (true) or in the tables' constant_buffer.
bool HasConstantSegment(const schema::Program& program);

// Of a method's planned memory. A hostile file may name sizes whose sum is no number of ours: then the largest there
// is.
uint64_t SumOfArenas(const schema::ExecutionPlan& plan);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_LAYOUT_H_
