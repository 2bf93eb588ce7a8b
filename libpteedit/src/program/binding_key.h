// The key by which programs are bound to a data file: "pteedit.base/" and 40 hex digits, in the data file of a tensor
// without elements, and in each method of the program of a value like it that nothing uses. Runtimes look for the keys
// of all values.
#ifndef PTEEDIT_SRC_PROGRAM_BINDING_KEY_H_
#define PTEEDIT_SRC_PROGRAM_BINDING_KEY_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "program/schema.h"
#include "pteedit/binding.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

inline constexpr std::string_view kBindingPrefix = "pteedit.base/";
inline constexpr size_t kBindingIdDigits = 40;

// Of bytes, one dimension of size 0.
TensorLayout BindingLayout();

inline bool IsBindingKey(std::string_view key) { return key.starts_with(kBindingPrefix); }
// Only with the form that it always has: else it is an entry like any other.
bool IsBindingEntry(const NamedEntry& entry);
// Whether the tensor reads such an entry and nothing else.
bool IsBindingTensor(const schema::Tensor& tensor);

// Whether a program that refers to the entry is to be bound to its file; of the `names_only`, where its key does not
// tell its content.
bool AsksToBind(const NamedEntry& entry, bool names_only);

// The keys of the binding entries of a data file, in file order. One that was written by us has at most one.
std::vector<std::string_view> BindingsIn(const Container& data);
// The keys of the binding values of all methods, each once, in order.
std::vector<std::string_view> BindingsOf(const schema::Program& program);

// Whether the program refers to an entry of the data file that AsksToBind, by a tensor or a delegate.
Result<bool> RefersTo(const Container& program, const Container& data, bool names_only);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_BINDING_KEY_H_
