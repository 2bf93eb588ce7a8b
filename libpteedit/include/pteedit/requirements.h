// What a program needs to run: operators with the element types and dim orders that they are called with, backends and
// what they were compiled for, keys from data files, and the oldest release that can load it.
#ifndef PTEEDIT_REQUIREMENTS_H_
#define PTEEDIT_REQUIREMENTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

// A tensor as kernels are chosen by it.
struct TensorArgument {
  int8_t scalar_type = 0;  // as TensorLayout's
  std::vector<uint8_t> dim_order;
};

// The tensors among the arguments of a call, in order. A list of tensors counts as the first tensor in it, as its
// tensors are alike; a list without any counts as nothing. Signatures share their arguments.
using KernelSignature = std::vector<std::shared_ptr<const TensorArgument>>;

// What the runtime's kernel registry and selective build call it: "v1/6;0,1|6;" for a float32 matrix and a float32
// scalar, "v1" where there is no tensor.
PTEEDIT_API std::string KernelKey(const KernelSignature& signature);

struct OperatorRequirement {
  std::string name;  // "aten::add.out"
  uint64_t calls = 0;
  std::vector<KernelSignature> signatures;  // those of all calls, without repeats, by kernel key
};

struct BackendRequirement {
  std::string backend;
  std::vector<std::string> delegates;                           // "XnnpackBackend_0", in file order
  std::vector<DelegateDescription::CompileSpec> compile_specs;  // of all of them, without repeats
  std::vector<BlobFact> targets;  // chip, device, versions: what blobs and compile specs tell of them
};

struct KeyRequirement {
  std::string key;
  std::vector<std::string> users;  // "method forward" for its tensors, delegates
  std::optional<uint64_t> bytes;   // nothing where no given file has it
  std::string file;                // the data file that has it
  bool binds = false;              // says nothing but which data file it must be, see binding.h
};

struct Requirements {
  std::vector<OperatorRequirement> operators;  // by name; those that no instruction calls have 0 calls
  std::vector<BackendRequirement> backends;    // by first use
  std::vector<KeyRequirement> external_keys;   // by key: what must come from data files
  // Of those that are called, by name: none of the kernel libraries that come with ExecuTorch has them, so no release
  // is told for them.
  std::vector<std::string> foreign_operators;
  std::vector<RuntimeNeed> runtime;  // newest first
  std::string min_runtime;           // the oldest release that can load program and data together: "0.7"
  // How many data files a loader must take: those of the given ones that have external keys, and one more where keys
  // are in none of them, which is then the fewest that can do.
  uint64_t data_files = 0;
  std::vector<std::string> data;  // those of the given ones, in the order that they are to be loaded in
  // All files, and what is planned for the method that takes most together with its delegates' scratch memory, as far
  // as that is told; 0 of a data file, and of a package of the native backend.
  uint64_t memory_bytes = 0;
};

// `delegates` is what DescribeDelegates() says of the set. Of a bundle, the program inside; of a data file, only the
// release that reads it.
PTEEDIT_API Requirements DescribeRequirements(const ProgramSet& set, const std::vector<DelegateDescription>& delegates);

// Of two releases, "0.7" and "1.0"; an empty one is the oldest.
PTEEDIT_API std::string NewerRelease(std::string a, std::string b);

}  // namespace pteedit

#endif  // PTEEDIT_REQUIREMENTS_H_
