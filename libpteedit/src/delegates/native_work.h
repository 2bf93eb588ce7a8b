// What an operator in a graph of the native backend computes and moves; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_DELEGATES_NATIVE_WORK_H_
#define PTEEDIT_SRC_DELEGATES_NATIVE_WORK_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "delegates/graph_reader.h"
#include "delegates/native_schema.h"
#include "delegates/work_rules.h"

namespace pteedit {

// Of "torch.ops.aten.mm.default", or of one that works in place. Nothing where it is not known what the operator does.
std::optional<WorkRule> NativeWorkRule(std::string_view target);

// Measures the calls of one graph, whose names are its own.
class NativeGraphWork {
 public:
  using Constants = flatbuffers::Vector<flatbuffers::Offset<schema::native::NamedTensorRef>>;
  // Constants are those of the graph's method, null of a body that a node runs. All outlive it. From `unfolding` it
  // takes the names that it looks up.
  NativeGraphWork(const schema::native::Graph& graph, const Constants* constants, Unfolding& unfolding);

  // Sizes are the largest that a run can have. What only gives a name to memory that another tensor has is no work.
  OperatorWork Of(const schema::native::Node& call);

 private:
  using Names = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
  struct Named {
    uint64_t id = 0;
    WorkValue value;
    std::vector<std::pair<uint64_t, WorkValue>> scales;  // and zero points, by id; none of most
  };
  // What a call takes and gives.
  struct Arguments {
    std::vector<WorkArgument> all, scales;
    std::deque<WorkValue> lists;
  };

  void Add(std::string_view name, uint64_t id, const schema::native::TensorMeta& meta);
  // Of a tensor by the key of its bytes, which another name may have, too.
  uint64_t IdOfKey(const flatbuffers::String* key);
  // Null where there is none.
  const Named* Find(const flatbuffers::String* name);

  void AddInput(const schema::native::Argument& argument, Arguments& arguments);
  void AddOutput(const schema::native::Output& output, Arguments& arguments);
  void AddTensor(const flatbuffers::String* name, Arguments& arguments);
  void AddList(const Names& names, Arguments& arguments);
  void AddMissing(Arguments& arguments);
  static void AddScales(const Named& named, Arguments& arguments);

  Unfolding& unfolding_;
  uint64_t next_id_ = 0;
  std::map<std::string_view, Named> values_;        // by name, in the graph's memory
  std::map<std::string_view, uint64_t> id_of_key_;  // there, too
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_NATIVE_WORK_H_
