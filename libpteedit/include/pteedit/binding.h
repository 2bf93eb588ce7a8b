// Binding a program to a data file: the program names a key that only this data file has, so every runtime refuses
// another or a changed one when it loads a method, instead of answering wrongly. FORMAT.md, "Binding", has the bytes.
#ifndef PTEEDIT_BINDING_H_
#define PTEEDIT_BINDING_H_

#include <string>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

// To which of the data files that a program refers to it is bound.
enum class Bind {
  kWhereNames,  // where one of the keys that it refers to does not tell its content: a content key is found or is not
  kAlways,
  kNever,
};

// A data file and what binds a program to it.
struct BoundTo {
  std::string program, data;  // names of the files, as the caller gave them
  std::string key;            // "pteedit.base/" and the data file's id
};

// The key that binds to `data`, a .ptd, whether it has it or not: it tells all keys with their layouts and contents,
// and nothing of where they lie. Reads all contents; the result is the same with any number of threads. Fails with kIo.
PTEEDIT_API Result<std::string> BindingKeyOf(const Container& data, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_BINDING_H_
