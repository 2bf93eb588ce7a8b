// Which nodes of the exported graph the values are of that a run logged. Debug handles alone do not tell: what an
// operator was decomposed into shares one, and a delegate has those of all nodes in it.
#ifndef PTEEDIT_SRC_PROFILE_OUTPUT_NODES_H_
#define PTEEDIT_SRC_PROFILE_OUTPUT_NODES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/handle_sources.h"
#include "record/record_graph.h"

namespace pteedit {

// Of one method. A node is told by its source: the node of the graph before lowering that it came from, which is the
// same in each export, "linear_1". Of those with one source only the last has what the source computed, beside what
// quantizes that, "linear_1 quantized", and turns it back.
class OutputNodes {
 public:
  // `kernels`: what was called, "add" of "native_call_add.out", by instruction. Without `sources` handles stand for
  // themselves.
  OutputNodes(const RecordGraph& graph, RecordMaps maps, const HandleSources& sources,
              const std::map<uint64_t, std::string>& kernels);

  // The source of what a kernel computed; empty where it is of a step on the way, or not told.
  std::string OfKernel(uint64_t instruction) const;
  // The same of each output of a delegate that was called. Nothing where the record does not tell its outputs apart.
  std::optional<std::vector<std::string>> OfCall(uint64_t instruction) const;
  // The source of a handle; empty where it has none.
  std::string OfHandle(uint64_t handle) const;

 private:
  struct Node {
    uint64_t weight = 1;  // how often the record lists its handle: getitems too
    std::string op, source;
    bool is_conversion = false;                    // to or from quantized numbers
    std::vector<size_t> inputs;                    // nodes
    std::vector<std::pair<size_t, size_t>> users;  // nodes, or kGraph, and which output they take
    std::optional<uint64_t> kernel, delegate;      // the instruction that it is of
  };

  void AddNodes(const RecordGraph& graph, const HandleSources& sources);
  void AddUsers(const RecordGraph& graph);
  void FindSources();
  void FindKernels(const std::map<uint64_t, std::string>& kernels);
  void FindDelegates();
  // Gives the nodes of a handle to the delegates that list it, by instruction and count, where the counts agree.
  bool Distribute(const std::vector<size_t>& nodes, const std::map<uint64_t, uint64_t>& counts);
  void FindOutputs(uint64_t instruction);
  std::vector<size_t> LoweredOrder(uint64_t instruction) const;

  RecordMaps maps_;
  std::vector<Node> nodes_;
  std::map<uint64_t, std::vector<size_t>> of_handle_;
  std::map<uint64_t, std::string> kernels_, handles_;
  std::map<uint64_t, std::vector<std::string>> calls_;
};

// Whether an exporter makes such a kernel of the operator: of the same name, or of one with the same words and more,
// "embedding_byte" of "embedding", "_clone_dim_order" of "clone".
bool IsMadeOf(std::string_view kernel, std::string_view op);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_OUTPUT_NODES_H_
