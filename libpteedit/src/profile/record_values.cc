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
constexpr std::string_view kRepresentativeInputs = "representative_inputs";
// Of an entry that is deflated, and so has to be in memory; exporters store them.
constexpr uint64_t kMaxInflatedBytes = uint64_t{64} << 20;

using Values = std::vector<DebugValue>;

Result<std::shared_ptr<const Source>> OpenEntry(const std::shared_ptr<const Source>& source, const Etrecord& record,
                                                const ZipEntry& entry) {
  if (entry.method == 0 && !entry.is_encrypted && entry.stored.size == entry.bytes)
    return MakeWindowSource(source, entry.stored);
  PTEEDIT_ASSIGN(const std::string bytes, record.zip().Read(entry, kMaxInflatedBytes));
  return MakeMemorySource(source->name(), {bytes.begin(), bytes.end()});
}

// Nothing where there is no such entry.
Result<std::optional<TorchValues>> ReadEntry(const std::shared_ptr<const Source>& source, const Etrecord& record,
                                             std::string_view name) {
  const ZipEntry* entry = record.zip().Find(name);
  if (entry == nullptr) return std::optional<TorchValues>();
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> archive, OpenEntry(source, record, *entry));
  Result<TorchValues> values = ReadTorchArchive(archive);
  if (values) return std::optional<TorchValues>(*std::move(values));
  Error error = values.error();
  if (error.code != ErrorCode::kIo) error.message = Text("entry ", Quoted(name), ": ", error.message);
  return error;
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
  if (inputs.kind != DebugValue::Kind::kList) return Unsupported("reference outputs of a method are no list");
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

Result<ReferenceOutputs> ReadReferenceOutputs(const std::vector<EventBlock>& blocks,
                                              const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  return ReadReferencesOf(blocks, source, record);
}

Result<ReferenceOutputs> ReadReferencesOf(const std::vector<EventBlock>& blocks,
                                          const std::shared_ptr<const Source>& source, const Etrecord& record) {
  PTEEDIT_ASSIGN(const std::optional<TorchValues> outputs, ReadEntry(source, record, kReferenceOutputs));
  ReferenceOutputs references(blocks.size());
  if (!outputs) return references;
  if (!outputs->is_dict) return Unsupported("reference outputs are not listed by method");
  for (size_t i = 0; i < blocks.size(); ++i) {
    const DebugValue* inputs = OutputsOf(*outputs, blocks[i]);
    if (inputs == nullptr) continue;
    PTEEDIT_ASSIGN(references[i], OutputsOfInput(*inputs, blocks[i]));
  }
  return references;
}

Result<std::optional<Values>> ReadRepresentativeInputs(const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  PTEEDIT_ASSIGN(std::optional<TorchValues> inputs, ReadEntry(source, record, kRepresentativeInputs));
  if (!inputs) return std::optional<Values>();
  if (inputs->is_dict) return Unsupported("representative inputs are no list");
  return std::optional<Values>(ListOf(std::move(inputs->entries.front().second)));
}

}  // namespace pteedit
