// What a record keeps of the values that the model computed where it was exported, as torch.save wrote it.
#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "profile/record_joins.h"
#include "pteedit/profile/debug_values.h"
#include "pteedit/try.h"
#include "record/etrecord.h"
#include "record/torch_archive.h"

namespace pteedit {
namespace {

constexpr std::string_view kReferenceOutputs = "reference_outputs";

using Values = std::vector<DebugValue>;

Error InOutputs(Error error) {
  if (error.code != ErrorCode::kIo) error.message = Text("entry ", Quoted(kReferenceOutputs), ": ", error.message);
  return error;
}

// Nothing where there is no such entry; kUnsupported where it has what cannot be read.
Result<std::optional<TorchValues>> ReadOutputs(const Etrecord& record) {
  const ZipEntry* entry = record.zip().Find(kReferenceOutputs);
  if (entry == nullptr) return std::optional<TorchValues>();
  Result<TorchValues> values = ReadTorchEntry(record.zip(), *entry);
  if (!values) return InOutputs(values.error());
  if (!values->is_dict) return InOutputs(Unsupported("outputs are not listed by method"));
  for (const auto& [method, inputs] : values->entries) {
    if (inputs.kind == DebugValue::Kind::kList) continue;
    return InOutputs(Unsupported(Text("outputs of method ", Quoted(method), " are no list")));
  }
  return std::optional<TorchValues>(*std::move(values));
}

Values ListOf(DebugValue value) {
  if (value.kind == DebugValue::Kind::kList) return std::move(value.items);
  Values values;
  values.push_back(std::move(value));
  return values;
}

const DebugValue* OutputsOf(const TorchValues& outputs, const EventBlock& block) {
  const auto may_be = [&](const std::string& method) {
    return block.methods.empty() ||
           std::find(block.methods.begin(), block.methods.end(), method) != block.methods.end();
  };
  if (outputs.entries.size() != 1 && block.methods.size() != 1) return nullptr;
  for (const auto& [method, inputs] : outputs.entries) {
    if (may_be(method)) return &inputs;
  }
  return nullptr;
}

// As Python counts: -1 is the last one.
Result<std::optional<Values>> OutputsOfInput(const DebugValue& inputs, const EventBlock& block) {
  const auto count = static_cast<int64_t>(inputs.items.size());
  if (count == 0) return std::optional<Values>();
  const int64_t index = block.bundled_input_index;
  if (index >= count || index < -count) {
    return Unsupported(Text("block ", Quoted(block.name), " is a run of bundled input ", index,
                            ", but the record has reference outputs of ", count));
  }
  return std::optional<Values>(ListOf(inputs.items[static_cast<size_t>(index < 0 ? count + index : index)]));
}

}  // namespace

Result<ExpectedOutputs> ReadReferenceOutputs(const std::vector<EventBlock>& blocks, const Etrecord& record) {
  ExpectedOutputs expected{ReferenceOutputs(blocks.size()), ""};
  const Result<std::optional<TorchValues>> outputs = ReadOutputs(record);
  if (!outputs && outputs.error().code != ErrorCode::kUnsupported) return outputs.error();
  if (!outputs) expected.why_unread = outputs.error().message;
  if (!outputs || !*outputs) return expected;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const DebugValue* inputs = OutputsOf(**outputs, blocks[i]);
    if (inputs == nullptr) continue;
    PTEEDIT_ASSIGN(expected.blocks[i], OutputsOfInput(*inputs, blocks[i]));
  }
  return expected;
}

}  // namespace pteedit
