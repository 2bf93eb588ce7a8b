#include "delegates/xnnpack_graph.h"

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "checked.h"
#include "text.h"

namespace pteedit {
namespace {

using namespace schema::xnnpack;  // NOLINT: the graph's tables
using Type = XNNDatatype;

constexpr uint32_t kNoValue = 0xFFFFFFFF;  // names no value, where a node or a graph may go without
constexpr uint32_t kMaxExternals = 4096;   // the runtime's own limit
constexpr uint32_t kMaxDims = 6;           // of XNNPACK
constexpr uint32_t kInputFlag = 1;
constexpr uint32_t kKnownFlags = 1 | 2;  // input, output
constexpr uint64_t kInt4PerByte = 2;
constexpr uint32_t kInt4BlockUnit = 32;  // blocks of 4-bit weights are multiples of it
constexpr size_t kMaxProblems = 100;     // more would say nothing new

std::string TypeName(Type type) {
  const std::string_view prefix = "xnn_datatype_";
  const std::string_view name = EnumNameXNNDatatype(type);
  return name.empty() ? Text("datatype ", static_cast<int>(type)) : std::string(name.substr(prefix.size()));
}

std::string OperatorName(XNodeUnion type) {
  const std::string_view name = EnumNameXNodeUnion(type);
  return type == XNodeUnion::NONE || name.empty() ? Text("op #", static_cast<int>(type)) : std::string(name);
}

bool IsOneOf(Type type, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// 0 for what is not stored densely.
uint64_t BitsOf(Type type) {
  switch (type) {
    case Type::xnn_datatype_fp32:
    case Type::xnn_datatype_qint32:
    case Type::xnn_datatype_qcint32:
    case Type::xnn_datatype_int32:
    case Type::xnn_datatype_pfp32:
      return 32;
    case Type::xnn_datatype_fp16:
    case Type::xnn_datatype_bf16:
      return 16;
    case Type::xnn_datatype_qint8:
    case Type::xnn_datatype_quint8:
    case Type::xnn_datatype_qcint8:
      return 8;
    case Type::xnn_datatype_qcint4:
    case Type::xnn_datatype_qbint4:
      return 4;
    default:
      return 0;
  }
}

// Of a dense tensor; two 4-bit numbers share a byte, but rows do not. 0 for a type that is not stored, nothing where
// they are too many to count.
std::optional<uint64_t> BytesOf(Type type, const std::vector<uint64_t>& sizes) {
  const uint64_t bits = BitsOf(type);
  std::optional<uint64_t> bytes = bits == 4 ? 1 : bits / 8;
  for (size_t i = 0; i < sizes.size() && bytes; ++i) {
    const bool is_row = bits == 4 && i + 1 == sizes.size();
    bytes = CheckedMultiply(*bytes, is_row ? sizes[i] / kInt4PerByte + sizes[i] % kInt4PerByte : sizes[i]);
  }
  return bytes;
}

std::vector<uint64_t> SizesOf(const XNNTensorValue& tensor) {
  const auto& dims = OrEmpty(tensor.dims());
  return {dims.begin(), dims.end()};
}

class GraphReader {
 public:
  GraphReader(const XNNGraph& graph, const XnnpackGraphPlace& place) : graph_(graph), place_(place) {}

  DecodedBlob Read() && {
    if (graph_.xvalues() == nullptr || graph_.xnodes() == nullptr) {
      Problem("xnnpack-graph-incomplete", "graph", "has no values or no operators");
    }
    if (graph_.num_externs() > kMaxExternals) {
      Problem("xnnpack-external-id", "graph",
              Text("has ", graph_.num_externs(), " inputs and outputs, at most ", kMaxExternals, " expected"));
    }
    uint32_t index = 0;
    for (const XValue* value : OrEmpty(graph_.xvalues())) ReadValue(*value, Text("value ", index++));
    index = 0;
    for (const XNode* node : OrEmpty(graph_.xnodes())) ReadNode(*node, Text("operator ", index++));
    out_.keys.assign(keys_.begin(), keys_.end());
    if (graph_.input_ids() != nullptr && graph_.output_ids() != nullptr) {
      out_.arguments = graph_.input_ids()->size() + graph_.output_ids()->size();
    }
    return std::move(out_);
  }

 private:
  void Problem(const char* id, const std::string& where, std::string message, Severity severity = Severity::kError) {
    if (out_.problems.size() < kMaxProblems) out_.problems.push_back({id, severity, where, std::move(message)});
  }

  void ReadValue(const XValue& value, const std::string& where) {
    const XNNQuantizedTensorValue* quantized = value.xvalue_union_as_XNNQuantizedTensorValue();
    const XNNTensorValue* tensor = quantized ? quantized->tensor_value() : value.xvalue_union_as_XNNTensorValue();
    if (tensor == nullptr) return Problem("xnnpack-value", where, "is no tensor");
    CheckIds(*tensor, where);
    if (!CheckDims(*tensor, where)) return;
    if (quantized == nullptr) {
      CheckType(*tensor, where, "a plain tensor",
                {Type::xnn_datatype_fp32, Type::xnn_datatype_fp16, Type::xnn_datatype_int32, Type::xnn_datatype_pfp32,
                 Type::xnn_datatype_bf16});
    }
    const uint32_t constant = tensor->constant_buffer_idx();
    if (constant != 0) AddConstant(constant, tensor->datatype(), SizesOf(*tensor), where);
    if (quantized != nullptr) CheckQuantization(*quantized, *tensor, where);
  }

  void CheckIds(const XNNTensorValue& tensor, const std::string& where) {
    const bool is_constant = tensor.constant_buffer_idx() != 0;
    const bool is_input = (tensor.flags() & kInputFlag) != 0;
    const ValueFacts facts{OrEmpty(tensor.dims()).size(), is_constant, is_constant || is_input};
    if (!values_.emplace(tensor.id_out(), facts).second) {
      Problem("xnnpack-value-id", where, Text("has id ", tensor.id_out(), ", which a value before it has as well"));
    }
    const bool is_external = tensor.external_id() != kNoValue;
    if (is_external && tensor.external_id() >= graph_.num_externs()) {
      Problem("xnnpack-external-id", where,
              Text("is input or output ", tensor.external_id(), " of the graph, which has ", graph_.num_externs()));
    }
    if ((tensor.flags() & ~kKnownFlags) != 0) {
      Problem("xnnpack-value", where,
              Text("has flags ", Hex(tensor.flags()), ", at most ", Hex(kKnownFlags), " expected"));
    } else if (tensor.flags() != 0 && !is_external) {
      Problem("xnnpack-external-id", where, "is an input or output of the graph but does not say which");
    }
  }

  bool CheckDims(const XNNTensorValue& tensor, const std::string& where) {
    const uint32_t count = OrEmpty(tensor.dims()).size();
    if (tensor.num_dims() == count && count <= kMaxDims) return true;
    Problem("xnnpack-value-dims", where,
            count > kMaxDims ? Text("has ", count, " dimensions, at most ", kMaxDims, " expected")
                             : Text("says it has ", tensor.num_dims(), " dimensions but lists ", count));
    return false;
  }

  bool CheckType(const XNNTensorValue& tensor, const std::string& where, const char* what,
                 std::initializer_list<Type> types) {
    if (IsOneOf(tensor.datatype(), types)) return true;
    Problem("xnnpack-value-type", where, Text("is ", what, " of type '", TypeName(tensor.datatype()), "'"));
    return false;
  }

  void CheckQuantization(const XNNQuantizedTensorValue& value, const XNNTensorValue& tensor, const std::string& where) {
    if (const auto* each = value.quant_params_as_PerTensorQuant()) return CheckPerTensor(*each, tensor, where);
    if (const auto* channels = value.quant_params_as_PerChannelQuant())
      return CheckPerChannel(*channels, tensor, where);
    if (const auto* groups = value.quant_params_as_PerChannelGroupQuant()) return CheckGroups(*groups, tensor, where);
    if (const auto* tokens = value.quant_params_as_PerTokenDynamicQuant()) return CheckDynamic(*tokens, tensor, where);
    Problem("xnnpack-quantization", where, "is quantized in no way that is known");
  }

  void CheckPerTensor(const PerTensorQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor with one scale",
              {Type::xnn_datatype_qint8, Type::xnn_datatype_quint8, Type::xnn_datatype_qint32});
    if (!std::isnormal(params.scale()) || params.scale() < 0) {
      Problem("xnnpack-quantization", where,
              Text("has scale ", std::to_string(params.scale()), ", a positive number expected"));
    }
    const int32_t zero = params.zero_point();
    const bool fits = tensor.datatype() == Type::xnn_datatype_qint8    ? zero >= -128 && zero <= 127
                      : tensor.datatype() == Type::xnn_datatype_quint8 ? zero >= 0 && zero <= 255
                                                                       : zero == 0;
    if (!fits) Problem("xnnpack-quantization", where, Text("has zero point ", zero, ", which its type cannot hold"));
  }

  void CheckPerChannel(const PerChannelQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor with scales for channels",
              {Type::xnn_datatype_qcint8, Type::xnn_datatype_qcint32, Type::xnn_datatype_qcint4});
    const auto& dims = OrEmpty(tensor.dims());
    if (params.channel_dim() < 0 || static_cast<uint32_t>(params.channel_dim()) >= dims.size()) {
      return Problem("xnnpack-quantization", where,
                     Text("has its channels in dimension ", params.channel_dim(), " of ", dims.size()));
    }
    const uint32_t channels = dims.Get(static_cast<uint32_t>(params.channel_dim()));
    AddScales(params.scale_buffer_idx(), params.scale(), channels, Type::xnn_datatype_fp32, where);
  }

  void CheckGroups(const PerChannelGroupQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor with scales for groups", {Type::xnn_datatype_qbint4});
    const auto& dims = OrEmpty(tensor.dims());
    if (dims.size() < 2 || params.group_size() <= 0 ||
        static_cast<uint32_t>(params.group_size()) % kInt4BlockUnit != 0) {
      return Problem("xnnpack-quantization", where,
                     Text("has groups of ", params.group_size(), " in ", dims.size(), " dimensions, a multiple of ",
                          kInt4BlockUnit, " and at least 2 dimensions expected"));
    }
    const uint64_t scales = uint64_t{dims.Get(0)} * dims.Get(1) / static_cast<uint32_t>(params.group_size());
    const uint64_t listed = params.scale_buffer_idx() != 0 ? params.num_scales() : OrEmpty(params.scale()).size();
    if (listed != scales) {
      return Problem("xnnpack-quantization", where, Text("has ", listed, " scales for ", scales, " groups"));
    }
    AddScales(params.scale_buffer_idx(), params.scale(), scales, Type::xnn_datatype_bf16, where);
  }

  void CheckDynamic(const PerTokenDynamicQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor that is quantized while running",
              {Type::xnn_datatype_qdint8, Type::xnn_datatype_qpint8});
    const uint32_t rank = OrEmpty(tensor.dims()).size();
    if (params.num_nonbatch_dims() < 0 || static_cast<uint32_t>(params.num_nonbatch_dims()) > rank) {
      Problem("xnnpack-quantization", where,
              Text("is quantized over ", params.num_nonbatch_dims(), " of ", rank, " dimensions"));
    }
    if (tensor.constant_buffer_idx() != 0) {
      Problem("xnnpack-quantization", where, "is a constant but quantized while running");
    }
  }

  void AddScales(uint32_t constant, const flatbuffers::Vector<float>* scales, uint64_t count, Type type,
                 const std::string& where) {
    if (constant != 0) return AddConstant(constant, type, {count}, where);
    if (OrEmpty(scales).size() < count) {
      Problem("xnnpack-quantization", where, Text("has ", OrEmpty(scales).size(), " scales, ", count, " expected"));
    }
  }

  // `value` reads it as a dense tensor of this type and these sizes.
  void AddConstant(uint32_t index, Type type, const std::vector<uint64_t>& sizes, const std::string& value) {
    const std::optional<uint64_t> bytes = BytesOf(type, sizes);
    const std::string where = Text("constant ", index, " of ", value);
    if (!bytes) Problem("xnnpack-constant-short", where, "has more bytes than can be counted");
    const auto [place, is_new] = constant_at_.emplace(index, out_.constants.size());
    if (is_new) {
      BlobConstant constant;
      constant.dtype = TypeName(type);
      constant.sizes = sizes;
      if (!Locate(index, constant, where)) {
        constant_at_.erase(place);
        return;
      }
      out_.constants.push_back(std::move(constant));
    }
    BlobConstant& constant = out_.constants[place->second];
    constant.bytes = std::max(constant.bytes, bytes.value_or(0));
    if (constant.key.empty() && constant.extent.size < bytes.value_or(0)) {
      Problem("xnnpack-constant-short", where, Text("has ", constant.extent.size, " bytes, the graph reads ", *bytes));
    }
  }

  bool Locate(uint32_t index, BlobConstant& constant, const std::string& where) {
    return place_.constant_data ? LocateBehindGraph(index, constant, where) : LocateInGraph(index, constant, where);
  }

  bool CheckIndex(uint32_t index, uint32_t count, const std::string& where) {
    if (index < count) return true;
    Problem("xnnpack-constant-index", where, Text("does not exist: the graph has ", count, " constants"));
    return false;
  }

  bool LocateInGraph(uint32_t index, BlobConstant& constant, const std::string& where) {
    const auto& buffers = OrEmpty(graph_.constant_buffer());
    if (!CheckIndex(index, buffers.size(), where)) return false;
    const flatbuffers::Vector<uint8_t>* storage = buffers.Get(index)->storage();
    if (storage == nullptr) {
      Problem("xnnpack-constant-index", where, "has no bytes");
      return false;
    }
    constant.extent = {place_.offset + static_cast<uint64_t>(storage->data() - place_.graph.data), storage->size()};
    return true;
  }

  bool LocateBehindGraph(uint32_t index, BlobConstant& constant, const std::string& where) {
    const auto& entries = OrEmpty(graph_.constant_data());
    if (!CheckIndex(index, entries.size(), where)) return false;
    const ConstantDataOffset& entry = *entries.Get(index);
    if (entry.named_key() != nullptr) {
      constant.key = entry.named_key()->c_str();  // the runtime, too, reads it to its first zero byte
      keys_.insert(constant.key);
      if (constant.key.empty()) Problem("xnnpack-constant-key", where, "has an empty key");
      return !constant.key.empty();
    }
    const Extent& all = *place_.constant_data;
    if (!Fits(entry.offset(), entry.size(), all.size)) {
      Problem("xnnpack-constant-outside", where,
              Text("has ", entry.size(), " bytes at ", Hex(entry.offset()), " of the constant data, which has ",
                   all.size, " bytes"));
      return false;
    }
    constant.extent = {all.offset + entry.offset(), entry.size()};
    return true;
  }

  void ReadNode(const XNode& node, const std::string& where) {
    const XNodeUnion type = node.xnode_union_type();
    out_.operators.push_back(OperatorName(type));
    if (type > XNodeUnion::MAX) {
      has_unknown_operator_ = true;
      return Problem("xnnpack-unknown-operator", where,
                     Text("is of type ", static_cast<int>(type), ", which no release up to 1.5 knows"),
                     Severity::kWarning);
    }
    const auto* fields = static_cast<const flatbuffers::Table*>(node.xnode_union());
    if (type == XNodeUnion::NONE || fields == nullptr)
      return Problem("xnnpack-operator", where, "says nothing of itself");
    const flatbuffers::TypeTable& union_type = *XNodeUnionTypeTable();
    const flatbuffers::TypeCode code = union_type.type_codes[static_cast<size_t>(type)];
    CheckFields(type, *fields, *union_type.type_refs[code.sequence_ref](), RankOfPadded(node),
                Text(where, " (", out_.operators.back(), ")"));
  }

  // The names of the fields tell which of them name values, and which are vectors with an element for each dimension.
  void CheckFields(XNodeUnion type, const flatbuffers::Table& fields, const flatbuffers::TypeTable& names,
                   uint32_t rank, const std::string& where) {
    for (size_t i = 0; i < names.num_elems; ++i) {
      const std::string_view name = names.names[i];
      const auto slot = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(i));
      if (name == "num_dims") rank = fields.GetField<uint32_t>(slot, 0);
      if (name.ends_with("_id") && IsUsed(type, name)) CheckValueId(name, fields.GetField<uint32_t>(slot, 0), where);
      if (!names.type_codes[i].is_repeating) continue;
      const auto* each = fields.GetPointer<const flatbuffers::Vector<uint32_t>*>(slot);
      if (each == nullptr || each->size() < rank || rank > kMaxDims) {
        Problem("xnnpack-operator-dims", where,
                Text("has ", OrEmpty(each).size(), " elements in ", Quoted(name), " for ", rank, " dimensions"));
      } else if (name == "perm" && !IsPermutation(*each, rank)) {
        Problem("xnnpack-operator-dims", where, Text("has no order of ", rank, " dimensions in 'perm'"));
      }
    }
  }

  // Of the first `rank` elements, at most kMaxDims.
  static bool IsPermutation(const flatbuffers::Vector<uint32_t>& order, uint32_t rank) {
    uint64_t seen = 0;
    for (uint32_t i = 0; i < rank; ++i) seen |= order.Get(i) < rank ? uint64_t{1} << order.Get(i) : 0;
    return seen == (uint64_t{1} << rank) - 1;
  }

  // Paddings have no number of dimensions of their own.
  uint32_t RankOfPadded(const XNode& node) const {
    const XNNStaticConstantPad* pad = node.xnode_union_as_XNNStaticConstantPad();
    const auto found = values_.find(pad != nullptr ? pad->input_id() : kNoValue);
    return found != values_.end() ? found->second.rank : 0;
  }

  // All concatenations share one table with five inputs.
  static bool IsUsed(XNodeUnion type, std::string_view name) {
    const char inputs = type == XNodeUnion::XNNConcatenate2   ? '2'
                        : type == XNodeUnion::XNNConcatenate3 ? '3'
                        : type == XNodeUnion::XNNConcatenate4 ? '4'
                                                              : '5';
    return !name.starts_with("input") || name == "input_id" || name[5] <= inputs;
  }

  void CheckValueId(std::string_view field, uint32_t id, const std::string& where) {
    const auto wrong = [&](const std::string& message) { Problem("xnnpack-operator-value", where, message); };
    if (id == kNoValue) {
      if (field != "bias_id") wrong(Text("names no value in ", Quoted(field)));
      return;
    }
    const auto found = values_.find(id);
    if (found == values_.end()) return wrong(Text("names value ", id, " in ", Quoted(field), ", which does not exist"));
    ValueFacts& value = found->second;
    if (field.starts_with("output")) {
      if (value.is_constant) wrong(Text("writes value ", id, " in ", Quoted(field), ", which is a constant"));
      value.is_known = true;
    } else if (!value.is_known && !has_unknown_operator_) {
      wrong(Text("reads value ", id, " in ", Quoted(field), ", which nothing before it writes"));
    }
  }

  struct ValueFacts {
    uint32_t rank = 0;
    bool is_constant = false;
    bool is_known = false;  // constant, input of the graph, or written by an operator so far
  };

  const XNNGraph& graph_;
  const XnnpackGraphPlace& place_;
  DecodedBlob out_;
  std::unordered_map<uint32_t, ValueFacts> values_;   // by id
  bool has_unknown_operator_ = false;                 // which may have written anything
  std::unordered_map<uint32_t, size_t> constant_at_;  // in out_.constants, by index in the graph
  std::set<std::string> keys_;
};

}  // namespace

DecodedBlob ReadXnnpackGraph(const schema::xnnpack::XNNGraph& graph, const XnnpackGraphPlace& place) {
  return GraphReader(graph, place).Read();
}

}  // namespace pteedit
