// The stored tensors of a program: which bytes of the file hold constants and initial states, which values read them,
// and what they are called. Looks at the checked tables in place.
#ifndef PTEEDIT_SRC_PROGRAM_CONSTANTS_H_
#define PTEEDIT_SRC_PROGRAM_CONSTANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "program/layout.h"
#include "program/schema.h"
#include "pteedit/bytes.h"
#include "pteedit/container.h"

namespace pteedit {

// A tensor value that reads a constant, in the program or in a data file. Must not outlive the program.
struct ConstantUse {
  uint32_t method = 0;  // index of the plan
  uint32_t value = 0;   // index among the plan's values
  const schema::Tensor* tensor = nullptr;
  TensorLayout layout() const { return LayoutOf(*tensor); }
};

// Bytes in a program file that one or more values read. Values share a constant when they read from the same place,
// whatever layout they give it; tensors without bytes share only when they use the same buffer.
struct Constant {
  Store store = Store::kSegment;  // kSegment, kInline or kMutable
  uint32_t part = 0;              // kMutable: index of the mutable data segment
  uint32_t buffer = 0;            // data_buffer_idx of the first use
  bool known_size = true;         // false where an element type is unknown: then to the next buffer or the end
  bool has_dim_orders = true;     // false where a use has sizes but no dim order, as runtimes no longer read it
  bool has_name = false;          // one that is not made of its rank
  Extent extent;                  // in the file; as long as the longest use
  std::string name;  // fully qualified, or <method>.constant_<rank of first use>, .mutable_<rank> for initial state
  std::vector<std::string> aliases;  // names that other methods and values give it, without repeats
  // Where names found by content stand in `name` and `aliases`, in front of ranks: those of the file, for who goes by
  // them.
  std::vector<std::string> own_names;
  std::vector<ConstantUse> uses;  // in order of methods by name, then values
};

// What the file itself calls it, whatever else it is called.
std::vector<std::string> OwnNames(const Constant& constant);

// Every name that it can be asked for by.
std::vector<std::string> AllNames(const Constant& constant);

// "constant" or "mutable", as reports call it.
inline const char* KindOf(const Constant& constant) {
  return constant.store == Store::kMutable ? "mutable" : "constant";
}

// Why the constant cannot get an entry in a data file, where its layout must stand; empty where it can.
std::string WhyWithoutLayout(const Constant& constant);

// All of a program, in order of first use: methods by name, then values.
std::vector<Constant> CollectConstants(const Container& program);

// The indices of the plans, ordered by method name.
std::vector<size_t> MethodsByName(const schema::Program& program);

// Where a delegate's processed blob lies in the file.
Extent BlobExtent(const Container& program, const schema::BackendDelegate& delegate);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_CONSTANTS_H_
