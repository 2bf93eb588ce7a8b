// Which of a model's operators run in delegates: what the exporter's get_delegation_info() tells of a lowered graph,
// from the program, and exactly so together with the exporter's record of it.
#ifndef PTEEDIT_PROFILE_DELEGATION_H_
#define PTEEDIT_PROFILE_DELEGATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct OperatorDelegation {
  // With a record the exporter's name: "aten_add_tensor". Without, "aten::add.out" for calls of kernels, and for nodes
  // in delegates what the backend calls them: "XNNAdd".
  std::string op_type;
  uint64_t delegated = 0;      // nodes in graphs of delegates
  uint64_t non_delegated = 0;  // other nodes
  uint64_t undecided = 0;      // of both, those whose debug handle says neither
};

struct MethodDelegation {
  std::string method;
  uint64_t subgraphs = 0;  // calls of delegates
  uint64_t opaque = 0;     // of them those whose nodes nobody knows: without a record, if the blob does not tell them
  uint64_t delegated = 0;  // sums over the operators
  uint64_t non_delegated = 0;
  bool has_record = false;
  std::vector<OperatorDelegation> operators;  // by name
};

// One element for each method that has instructions, in file order; of a bundle, those of the program inside; of a data
// file none. `delegates` are those that DescribeDelegates found in it; `record` may be null. Fails with kUnsupported,
// blaming the record, where it is of another program or not understood, with kMalformed where it is damaged, with kIo
// where a file can no longer be read.
PTEEDIT_API Result<std::vector<MethodDelegation>> DescribeDelegation(
    const Container& file, const std::vector<DelegateDescription>& delegates,
    const std::shared_ptr<const Source>& record = nullptr);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_DELEGATION_H_
