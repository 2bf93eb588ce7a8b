#include "generated_files.h"

#include <map>

#include "choices.h"
#include "program/schema.h"
#include "segment_layout.h"

namespace pteedit::test {
namespace {

using flatbuffers::Offset;

struct ExternalEntry {
  std::string key;
  Shape shape;
  bool has_layout = true;
  FileBytes bytes;
};

// Buffers of a constant or mutable segment, and how many bytes each can serve.
struct Buffers {
  FileBytes content;
  std::vector<uint64_t> offsets{0};

  uint64_t BytesFrom(uint32_t buffer) const { return content.size() - offsets[buffer]; }
};

Buffers MakeBuffers(Choices& choices, uint32_t least_bytes) {
  Buffers buffers;
  buffers.content = choices.Bytes(std::max(least_bytes, choices.Below(400)));
  const uint32_t count = choices.Below(8);
  uint64_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    buffers.offsets.push_back(std::min<uint64_t>(at, buffers.content.size()));
    const uint32_t step = choices.Below(6);  // tied or empty, overlapping or unaligned, or one behind the other
    if (step == 1) at += 1 + choices.Below(15);
    if (step > 1) at += 16 * (1 + uint64_t{choices.Below(6)});
  }
  return buffers;
}

template <class Builder, class T>
Offset<flatbuffers::Vector<T>> NumbersOrNull(Builder& builder, Choices& choices, const std::vector<T>& numbers) {
  if (numbers.empty() && choices.Below(2) == 0) return 0;
  return builder.CreateVector(numbers);
}

enum class Home { kNone, kSegment, kPlaceholder, kInline };

class ProgramMaker {
 public:
  ProgramMaker(Choices& choices, const std::vector<ExternalEntry>& external)
      : choices_(choices), external_(external), segments_(choices) {}

  GeneratedFiles Make() {
    builder_.ForceDefaults(choices_.Rarely(8));
    MakeStores();
    std::vector<Offset<schema::ExecutionPlan>> plans;
    const uint32_t methods = 1 + choices_.Below(3);
    for (uint32_t i = 0; i < methods; ++i)
      plans.push_back(MakePlan(std::vector<const char*>{"forward", "decode", "z"}[i]));
    builder_.Finish(MakeProgram(builder_.CreateVector(plans)), "ET12");
    return LayOut();
  }

 private:
  template <class Table>
  using Tables = std::vector<Offset<Table>>;

  template <class Table>
  Offset<flatbuffers::Vector<Offset<Table>>> TablesOrNull(const Tables<Table>& tables) {
    if (tables.empty() && choices_.Below(2) == 0) return 0;
    return builder_.CreateVector(tables);
  }

  Offset<flatbuffers::String> Text(const std::string& text) {
    return choices_.Below(2) == 0 ? builder_.CreateSharedString(text) : builder_.CreateString(text);
  }
  Offset<flatbuffers::String> TextOrNull() {
    return choices_.Rarely(3) ? Offset<flatbuffers::String>() : Text(choices_.Text());
  }

  void MakeStores() {
    home_ = choices_.OneOf<Home>({Home::kNone, Home::kSegment, Home::kSegment, Home::kPlaceholder, Home::kInline});
    if (home_ == Home::kSegment) {
      constants_ = MakeBuffers(choices_, 1);  // a runtime refuses tensors that read a constant segment without bytes
      constant_segment_ = segments_.Add(constants_.content);
    }
    if (home_ == Home::kPlaceholder) constant_segment_ = segments_.Add({});
    if (home_ == Home::kInline) {
      inline_constants_.resize(1 + choices_.Below(5));
      for (size_t i = 1; i < inline_constants_.size(); ++i) inline_constants_[i] = choices_.Bytes(choices_.Below(100));
    }
    const uint32_t parts = choices_.Rarely(3) ? 1 + choices_.Below(2) : 0;
    for (uint32_t i = 0; i < parts; ++i) {
      mutables_.push_back(MakeBuffers(choices_, 0));
      mutable_segments_.push_back(segments_.Add(mutables_.back().content));
      asks_for_segments_ = asks_for_segments_ || mutables_.back().offsets.size() > 1;
    }
    MakeNamedData();
  }

  void MakeNamedData() {
    const std::vector<std::string> keys = {"k", "k0", "layer.0/weight", std::string(64, 'a'),
                                           "scale_" + std::string(64, 'b')};
    const uint32_t count = choices_.Below(static_cast<uint32_t>(keys.size()) + 1);
    for (uint32_t i = 0; i < count; ++i) {
      named_data_.emplace_back(keys[i], SegmentOfKey());
      keys_.push_back(keys[i]);
    }
    for (const ExternalEntry& entry : external_) keys_.push_back(entry.key);
  }

  uint32_t SegmentOfKey() {
    const uint32_t count = segments_.count();
    const uint32_t other = count == 0 ? 0 : choices_.Below(count);
    switch (count == 0 ? 0 : choices_.Below(12)) {
      case 1:
        return other;
      case 2:
        return segments_.AddSame(other);
      case 3:
        return segments_.AddInside(other);
      case 4: {  // the bytes of a constant, or of some
        const uint64_t begin = choices_.OneOf(constants_.offsets), end = choices_.OneOf(constants_.offsets);
        const auto bytes = constants_.content.begin() + static_cast<std::ptrdiff_t>(std::min(begin, end));
        return segments_.Add({bytes, bytes + static_cast<std::ptrdiff_t>(std::max(begin, end) - std::min(begin, end))});
      }
      default:
        return segments_.Add(choices_.Bytes(choices_.Below(200)));
    }
  }

  // A blob that mentions some keys among other bytes.
  FileBytes MakeBlob() {
    FileBytes blob = choices_.Bytes(choices_.Below(80));
    for (const std::string& key : keys_) {
      if (choices_.Below(2) == 0) continue;
      blob.insert(blob.end(), key.begin(), key.end());
      const FileBytes more = choices_.Bytes(choices_.Below(20));
      blob.insert(blob.end(), more.begin(), more.end());
    }
    return blob;
  }

  // Here and everywhere one choice a statement: compilers differ in the order of arguments.
  Offset<schema::Program> MakeProgram(Offset<flatbuffers::Vector<Offset<schema::ExecutionPlan>>> plans) {
    const auto constants = InlineBytes<schema::Buffer>(inline_constants_);
    const auto blobs = InlineBytes<schema::BackendDelegateInlineData>(inline_blobs_);
    const auto segments = SegmentTable();
    const auto constant_segment = ConstantSegment();
    const auto mutable_segments = MutableSegments();
    const auto named_data = NamedData();
    return schema::CreateProgram(builder_, 0, plans, constants, blobs, segments, constant_segment, mutable_segments,
                                 named_data);
  }

  Offset<schema::ExecutionPlan> MakePlan(const char* name) {
    value_count_ = 1 + choices_.Below(14);
    Tables<schema::EValue> values;
    for (uint32_t i = 0; i < value_count_; ++i) values.push_back(MakeValue());
    const uint32_t operators = choices_.Below(4);
    Tables<schema::Operator> operator_tables;
    for (uint32_t i = 0; i < operators; ++i) {
      const auto base = Text(choices_.Text()), overload = TextOrNull();
      operator_tables.push_back(schema::CreateOperator(builder_, base, overload));
    }
    Tables<schema::BackendDelegate> delegates;
    const uint32_t delegate_count = choices_.Below(3);
    for (uint32_t i = 0; i < delegate_count; ++i) delegates.push_back(MakeDelegate());
    Tables<schema::Chain> chains;
    const uint32_t chain_count = choices_.Below(3);
    for (uint32_t i = 0; i < chain_count; ++i) chains.push_back(MakeChain(operators, delegate_count));
    Tables<schema::NonConstBufferDevice> devices;
    if (choices_.Rarely(5))
      devices.push_back(schema::CreateNonConstBufferDevice(builder_, 1, schema::DeviceType::CUDA, 2));
    Offset<schema::ContainerMetadata> container;
    if (choices_.Below(2) == 1) {
      const auto encoded_in = TextOrNull(), encoded_out = TextOrNull();
      container = schema::CreateContainerMetadata(builder_, encoded_in, encoded_out);
    }
    const auto text = Text(name);
    const auto value_list = builder_.CreateVector(values);
    const auto inputs = Indices(3), outputs = Indices(3);
    const auto chain_list = TablesOrNull(chains);
    const auto operator_list = TablesOrNull(operator_tables);
    const auto delegate_list = TablesOrNull(delegates);
    const auto arenas = NumbersOrNull(builder_, choices_, std::vector<int64_t>(choices_.Below(3), 64));
    const auto device_list = TablesOrNull(devices);
    return schema::CreateExecutionPlan(builder_, text, container, value_list, inputs, outputs, chain_list,
                                       operator_list, delegate_list, arenas, device_list);
  }

  Offset<flatbuffers::Vector<int32_t>> Indices(uint32_t most) {
    return NumbersOrNull(builder_, choices_, choices_.Indices(most, value_count_));
  }

  Offset<schema::EValue> MakeValue() {
    using schema::KernelTypes;
    switch (choices_.Below(16)) {
      case 1:
        return Value(KernelTypes::Null, schema::CreateNull(builder_));
      case 2:
        return Value(KernelTypes::Int, schema::CreateInt(builder_, choices_.Number()));
      case 3:
        return Value(KernelTypes::Bool, schema::CreateBool(builder_, choices_.Below(2) == 1));
      case 4:
        return Value(KernelTypes::Double, MakeDouble());
      case 5:
        return Value(KernelTypes::String, schema::CreateString(builder_, TextOrNull()));
      case 6: {
        const std::vector<int32_t> indices = choices_.Indices(4, value_count_);
        return Value(
            KernelTypes::IntList,
            schema::CreateIntList(
                builder_, NumbersOrNull(builder_, choices_, std::vector<int64_t>(indices.begin(), indices.end()))));
      }
      case 7:
        return Value(KernelTypes::DoubleList,
                     schema::CreateDoubleList(builder_, NumbersOrNull(builder_, choices_, Doubles())));
      case 8:
        return Value(KernelTypes::BoolList,
                     schema::CreateBoolList(
                         builder_, NumbersOrNull(builder_, choices_, std::vector<uint8_t>(choices_.Below(4), 1))));
      case 9:
        return Value(KernelTypes::TensorList, schema::CreateTensorList(builder_, Indices(4)));
      case 10: {
        std::vector<int32_t> indices = choices_.Indices(4, value_count_);
        if (!indices.empty()) indices[0] = -1;
        return Value(KernelTypes::OptionalTensorList,
                     schema::CreateOptionalTensorList(builder_, NumbersOrNull(builder_, choices_, indices)));
      }
      case 11:
        return schema::CreateEValue(builder_);
      default:
        return Value(KernelTypes::Tensor, MakeTensor());
    }
  }

  template <class Table>
  Offset<schema::EValue> Value(schema::KernelTypes type, Offset<Table> table) {
    return schema::CreateEValue(builder_, type, table.Union());
  }

  // The builder would drop -0.0, which equals the default.
  Offset<schema::Double> MakeDouble() {
    const auto start = builder_.StartTable();
    builder_.AddElement<double>(4, choices_.Double());
    return builder_.EndTable(start);
  }

  std::vector<double> Doubles() {
    std::vector<double> numbers(choices_.Below(4));
    for (double& number : numbers) number = choices_.Double();
    return numbers;
  }

  struct Stored {
    Shape shape;
    uint32_t buffer = 0;
    bool has_allocation = true;
    bool has_extra = false;
    uint64_t part = 0;
    std::string key;
    schema::TensorDataLocation location = schema::TensorDataLocation::SEGMENT;
  };

  Stored PlanTensor() {
    const uint32_t kind = choices_.Below(6);
    Stored stored;
    if (kind == 1 || kind == 2) return PlanConstant();
    if (kind == 3 && !mutables_.empty()) return PlanMutable();
    if (kind == 4 && !external_.empty()) return PlanExternal();
    stored.shape = MakeShape(choices_, 1 << 20, false);
    stored.has_allocation = choices_.Below(2) == 0;
    stored.has_extra = choices_.Rarely(4);
    stored.key = stored.has_extra ? choices_.Text() : "";
    return stored;
  }

  Stored PlanConstant() {
    Stored stored;
    stored.has_allocation = false;
    stored.has_extra = choices_.Rarely(4);
    const auto count =
        static_cast<uint32_t>(home_ == Home::kInline ? inline_constants_.size() : constants_.offsets.size());
    stored.buffer = home_ == Home::kSegment || home_ == Home::kInline ? choices_.Below(count) : 0;
    uint64_t most = 1 << 20;
    if (stored.buffer != 0) {
      most = home_ == Home::kInline ? inline_constants_[stored.buffer].size() : constants_.BytesFrom(stored.buffer);
    }
    stored.shape = MakeShape(choices_, most, false);
    return stored;
  }

  Stored PlanMutable() {
    Stored stored;
    stored.part = choices_.Below(static_cast<uint32_t>(mutables_.size()));
    stored.has_extra = stored.part != 0 || choices_.Below(2) == 1;
    const Buffers& buffers = mutables_[stored.part];
    stored.buffer = choices_.Below(static_cast<uint32_t>(buffers.offsets.size()));
    stored.shape = MakeShape(choices_, stored.buffer == 0 ? 1 << 20 : buffers.BytesFrom(stored.buffer), false);
    return stored;
  }

  Stored PlanExternal() {
    Stored stored;
    const ExternalEntry& entry = choices_.OneOf(external_);
    if (!entry.has_layout) return stored;
    stored.shape = entry.shape;
    stored.has_allocation = choices_.Rarely(4);
    stored.has_extra = true;
    stored.buffer = choices_.Below(3);  // means nothing there
    stored.key = entry.key;
    stored.location = schema::TensorDataLocation::EXTERNAL;
    return stored;
  }

  Offset<schema::Tensor> MakeTensor() {
    const Stored stored = PlanTensor();
    const auto sizes = SharedSizes(stored.shape.sizes);
    const auto dim_order = NumbersOrNull(builder_, choices_, stored.shape.dim_order);
    Offset<schema::AllocationDetails> allocation;
    if (stored.has_allocation) {
      const uint32_t low = choices_.Below(9999), high = choices_.Below(2);
      allocation = schema::CreateAllocationDetails(builder_, 1, low, high);
    }
    Offset<schema::ExtraTensorInfo> extra;
    if (stored.has_extra) {
      const bool cuda = choices_.Rarely(6);
      const auto key = stored.key.empty() ? TextOrNull() : Text(stored.key);
      extra = schema::CreateExtraTensorInfo(builder_, stored.part, key, stored.location,
                                            cuda ? schema::DeviceType::CUDA : schema::DeviceType::CPU,
                                            cuda ? int8_t{1} : int8_t{0});
    }
    const auto dynamism = static_cast<schema::TensorShapeDynamism>(choices_.Below(3));
    const bool requires_grad = choices_.Rarely(9);
    const auto layout = static_cast<int8_t>(choices_.Below(2));
    return schema::CreateTensor(builder_, static_cast<schema::ScalarType>(stored.shape.scalar_type), 0, sizes,
                                dim_order, requires_grad, stored.buffer, allocation, layout, dynamism, extra);
  }

  Offset<flatbuffers::Vector<int32_t>> SharedSizes(const std::vector<int32_t>& sizes) {
    if (sizes.empty() || choices_.Below(2) == 0) return NumbersOrNull(builder_, choices_, sizes);
    Offset<flatbuffers::Vector<int32_t>>& known = sizes_[sizes];
    if (known.IsNull()) known = builder_.CreateVector(sizes);
    return known;
  }

  Offset<schema::BackendDelegate> MakeDelegate() {
    schema::DataLocation location = schema::DataLocation::SEGMENT;
    uint32_t index = 0;
    if (choices_.Rarely(3)) {
      location = schema::DataLocation::INLINE;
      index = static_cast<uint32_t>(inline_blobs_.size());
      inline_blobs_.push_back(MakeBlob());
    } else {
      asks_for_segments_ = true;
      const bool shares = choices_.Rarely(6) && segments_.count() != 0;
      index = shares ? choices_.Below(segments_.count()) : segments_.Add(MakeBlob());
    }
    const auto processed = schema::CreateBackendDelegateDataReference(builder_, location, index);
    Tables<schema::CompileSpec> specs;
    const uint32_t count = choices_.Below(3);
    for (uint32_t i = 0; i < count; ++i) {
      const FileBytes value = choices_.Rarely(3) ? MakeBlob() : FileBytes();
      const auto key = TextOrNull();
      specs.push_back(schema::CreateCompileSpec(builder_, key, NumbersOrNull(builder_, choices_, value)));
    }
    const char* id = choices_.Below(2) == 0 ? "XnnpackBackend" : "Other";
    const auto text = Text(id);
    return schema::CreateBackendDelegate(builder_, text, processed, TablesOrNull(specs));
  }

  Offset<schema::Chain> MakeChain(uint32_t operators, uint32_t delegates) {
    Tables<schema::Instruction> instructions;
    const uint32_t count = choices_.Below(6);
    for (uint32_t i = 0; i < count; ++i) instructions.push_back(MakeInstruction(operators, delegates, count));
    Tables<schema::FrameList> stacktrace;
    if (choices_.Rarely(3)) {
      for (uint32_t i = 0; i < count; ++i) {
        Tables<schema::Frame> frames;
        if (choices_.Below(2) == 1) {
          const auto file = Text("/a/b.py"), name = TextOrNull(), context = TextOrNull();
          frames.push_back(schema::CreateFrame(builder_, file, 7, name, context));
        }
        stacktrace.push_back(schema::CreateFrameList(builder_, TablesOrNull(frames)));
      }
    }
    const auto inputs = Indices(2), outputs = Indices(2);
    const auto instruction_list = TablesOrNull(instructions);
    return schema::CreateChain(builder_, inputs, outputs, instruction_list, TablesOrNull(stacktrace));
  }

  Offset<schema::Instruction> MakeInstruction(uint32_t operators, uint32_t delegates, uint32_t instructions) {
    using schema::InstructionArguments;
    const auto below = [&](uint32_t count) { return static_cast<int32_t>(choices_.Below(count)); };
    const auto value = [&] { return below(value_count_); };
    switch (choices_.Below(6)) {
      case 0: {
        if (operators == 0) break;
        const int32_t index = below(operators);
        return Call(InstructionArguments::KernelCall, schema::CreateKernelCall(builder_, index, Indices(5)));
      }
      case 1: {
        if (delegates == 0) break;
        const int32_t index = below(delegates);
        return Call(InstructionArguments::DelegateCall, schema::CreateDelegateCall(builder_, index, Indices(5)));
      }
      case 2: {
        const int32_t condition = value();
        return Call(InstructionArguments::JumpFalseCall,
                    schema::CreateJumpFalseCall(builder_, condition, below(instructions + 1)));
      }
      case 3:
        return Call(InstructionArguments::FreeCall, schema::CreateFreeCall(builder_, value()));
      case 4:
        return schema::CreateInstruction(builder_);
      default:
        break;
    }
    const int32_t from = value();
    return Call(InstructionArguments::MoveCall, schema::CreateMoveCall(builder_, from, value()));
  }

  template <class Table>
  Offset<schema::Instruction> Call(schema::InstructionArguments type, Offset<Table> table) {
    return schema::CreateInstruction(builder_, type, table.Union());
  }

  template <class Table>
  Offset<flatbuffers::Vector<Offset<Table>>> InlineBytes(const std::vector<FileBytes>& blobs) {
    Tables<Table> tables;
    for (const FileBytes& blob : blobs) {
      Offset<flatbuffers::Vector<uint8_t>> bytes;
      const bool is_null = blob.empty() && choices_.Below(2) == 0;
      if (!is_null) {
        // Not ForceVectorAlignment, which asserts that nobody wants more than 32.
        builder_.PreAlign(blob.size(), size_t{16} << (choices_.Rarely(4) ? choices_.Below(7) : 0));
        bytes = builder_.CreateVector(blob);
      }
      const auto start = builder_.StartTable();
      builder_.AddOffset(4, bytes);
      tables.push_back(Offset<Table>(builder_.EndTable(start)));
    }
    return TablesOrNull(tables);
  }

  Offset<flatbuffers::Vector<Offset<schema::DataSegment>>> SegmentTable() {
    Tables<schema::DataSegment> tables;
    for (const auto& [offset, size] : segments_.places())
      tables.push_back(schema::CreateDataSegment(builder_, offset, size));
    return TablesOrNull(tables);
  }

  Offset<schema::SubsegmentOffsets> ConstantSegment() {
    const bool has_offsets = home_ == Home::kSegment || home_ == Home::kPlaceholder;
    if (!has_offsets) {
      return choices_.Rarely(3) ? schema::CreateSubsegmentOffsets(
                                      builder_, 0, NumbersOrNull(builder_, choices_, std::vector<uint64_t>()))
                                : Offset<schema::SubsegmentOffsets>();
    }
    return schema::CreateSubsegmentOffsets(builder_, constant_segment_, builder_.CreateVector(constants_.offsets));
  }

  Offset<flatbuffers::Vector<Offset<schema::SubsegmentOffsets>>> MutableSegments() {
    Tables<schema::SubsegmentOffsets> tables;
    for (size_t i = 0; i < mutables_.size(); ++i) {
      tables.push_back(
          schema::CreateSubsegmentOffsets(builder_, mutable_segments_[i], builder_.CreateVector(mutables_[i].offsets)));
    }
    return TablesOrNull(tables);
  }

  Offset<flatbuffers::Vector<Offset<schema::NamedData>>> NamedData() {
    Tables<schema::NamedData> tables;
    for (const auto& [key, segment] : named_data_)
      tables.push_back(schema::CreateNamedData(builder_, Text(key), segment));
    return TablesOrNull(tables);
  }

  GeneratedFiles LayOut() {
    GeneratedFiles files;
    files.least_alignment = segments_.least_alignment();
    const bool has_header = !segments_.content().empty() || asks_for_segments_ || choices_.Rarely(6);
    if (!has_header) {
      files.program.assign(builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize());
      return files;
    }
    const uint32_t length = choices_.Rarely(3) ? 24 : 32;
    FileBytes& bytes = files.program = WithRoom(builder_, length, 16);
    const uint64_t tables_bytes = bytes.size();
    const uint64_t base =
        RoundUp(tables_bytes, segments_.alignment()) + (choices_.Rarely(8) ? segments_.alignment() : 0);
    std::memcpy(bytes.data() + 8, "eh00", 4);
    Put(bytes, 12, length);
    Put(bytes, 16, tables_bytes);
    Put(bytes, 24, base);
    if (length == 32) Put(bytes, 32, uint64_t{segments_.content().size()});
    AppendSegments(bytes, segments_, base);
    if (choices_.Rarely(10)) bytes.resize(bytes.size() + 5, 0);  // accepted by the runtime
    return files;
  }

  Choices& choices_;
  const std::vector<ExternalEntry>& external_;
  SegmentLayout segments_;
  flatbuffers::FlatBufferBuilder builder_;
  Home home_ = Home::kNone;
  bool asks_for_segments_ = false;  // so that a runtime wants a header, whether they have bytes or not
  Buffers constants_;
  uint32_t constant_segment_ = 0;
  std::vector<FileBytes> inline_constants_, inline_blobs_;
  std::vector<Buffers> mutables_;
  std::vector<uint32_t> mutable_segments_;
  std::vector<std::pair<std::string, uint32_t>> named_data_;
  std::vector<std::string> keys_;
  std::map<std::vector<int32_t>, Offset<flatbuffers::Vector<int32_t>>> sizes_;
  uint32_t value_count_ = 0;
};

std::vector<ExternalEntry> MakeEntries(Choices& choices) {
  std::vector<ExternalEntry> entries(choices.Rarely(3) ? 1 + choices.Below(5) : 0);
  for (size_t i = 0; i < entries.size(); ++i) {
    ExternalEntry& entry = entries[i];
    entry.key = "external." + std::to_string(i);
    entry.shape = MakeShape(choices, 300, true);
    entry.has_layout = !choices.Rarely(4);
    const uint64_t longer = choices.Rarely(6) ? 3 : 0;  // allowed
    entry.bytes = choices.Bytes(static_cast<uint32_t>(entry.shape.bytes + longer));
  }
  return entries;
}

FileBytes MakeDataFile(Choices& choices, const std::vector<ExternalEntry>& entries) {
  flatbuffers::FlatBufferBuilder builder;
  SegmentLayout segments(choices);
  std::map<std::string, uint32_t> known;
  std::vector<Offset<schema::flat::NamedData>> named;
  for (const ExternalEntry& entry : entries) {
    const auto [place, is_new] = known.try_emplace(std::string(entry.bytes.begin(), entry.bytes.end()));
    if (is_new || choices.Rarely(4)) place->second = segments.Add(entry.bytes);
    Offset<schema::flat::TensorLayout> layout;
    if (entry.has_layout) {
      const auto sizes = NumbersOrNull(builder, choices, entry.shape.sizes);
      const auto dim_order = NumbersOrNull(builder, choices, entry.shape.dim_order);
      layout = schema::flat::CreateTensorLayout(builder, static_cast<schema::ScalarType>(entry.shape.scalar_type),
                                                sizes, dim_order);
    }
    const auto key = builder.CreateString(entry.key);
    named.push_back(schema::flat::CreateNamedData(builder, key, place->second, layout));
  }
  std::vector<Offset<schema::flat::DataSegment>> table;
  for (const auto& [offset, size] : segments.places())
    table.push_back(schema::flat::CreateDataSegment(builder, offset, size));
  const auto segment_list = builder.CreateVector(table);
  builder.Finish(schema::flat::CreateFlatTensor(builder, 0, segment_list, builder.CreateVector(named)), "FT01");
  FileBytes bytes = WithRoom(builder, 40, 8);
  const uint64_t tables_bytes = bytes.size();
  const uint64_t base = RoundUp(tables_bytes, segments.alignment());
  std::memcpy(bytes.data() + 8, "FH01", 4);
  Put(bytes, 12, uint32_t{40});
  Put(bytes, 16, uint64_t{48});
  Put(bytes, 24, tables_bytes - 48);
  Put(bytes, 32, base);
  Put(bytes, 40, uint64_t{segments.content().size()});
  AppendSegments(bytes, segments, base);
  return bytes;
}

}  // namespace

GeneratedFiles MakeFiles(const Tape& tape) {
  Choices choices(tape);
  const std::vector<ExternalEntry> external = MakeEntries(choices);
  GeneratedFiles files = ProgramMaker(choices, external).Make();
  if (external.empty()) return files;
  const size_t in_first = external.size() - choices.Below(2);
  const auto middle = external.begin() + static_cast<std::ptrdiff_t>(in_first);
  files.data.push_back(MakeDataFile(choices, {external.begin(), middle}));
  if (middle != external.end()) files.data.push_back(MakeDataFile(choices, {middle, external.end()}));
  return files;
}

}  // namespace pteedit::test
