#include "delegates/xnnpack_graph.h"

#include <cmath>
#include <map>
#include <set>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/xnnpack_operators.h"

namespace pteedit {
namespace {

using namespace schema::xnnpack;  // NOLINT: the graph's tables
using Type = XnnpackType;

constexpr uint32_t kMaxExternals = 4096;  // the runtime's own limit
constexpr uint32_t kInputFlag = 1;
constexpr uint32_t kOutputFlag = 2;
constexpr uint32_t kKnownFlags = kInputFlag | kOutputFlag;
constexpr uint32_t kInt4BlockUnit = 32;  // blocks of 4-bit weights are multiples of it

// Types of values: plain, and of each kind of quantization.
constexpr XnnpackTypes kPlain{Type::xnn_datatype_fp32, Type::xnn_datatype_fp16, Type::xnn_datatype_int32,
                              Type::xnn_datatype_pfp32, Type::xnn_datatype_bf16};
constexpr XnnpackTypes kOneScale{Type::xnn_datatype_qint8, Type::xnn_datatype_quint8, Type::xnn_datatype_qint32};
constexpr XnnpackTypes kScaleEach{Type::xnn_datatype_qcint8, Type::xnn_datatype_qcint32, Type::xnn_datatype_qcint4};
constexpr XnnpackTypes kBlocks{Type::xnn_datatype_qbint4};
constexpr XnnpackTypes kDynamic{Type::xnn_datatype_qdint8};

std::vector<uint64_t> SizesOf(const XNNTensorValue& tensor) {
  const auto& dims = OrEmpty(tensor.dims());
  return {dims.begin(), dims.end()};
}

// Of the program's tensors. The runtime makes 64-bit indices of the 32-bit ones that an operator writes.
std::vector<schema::ScalarType> ScalarTypesOf(Type type, bool is_output) {
  using Scalar = schema::ScalarType;
  switch (type) {
    case Type::xnn_datatype_fp32:
    case Type::xnn_datatype_pfp32:
      return {Scalar::FLOAT};
    case Type::xnn_datatype_fp16:
      return {Scalar::HALF};
    case Type::xnn_datatype_bf16:
      return {Scalar::BFLOAT16};
    case Type::xnn_datatype_qint8:
      return {Scalar::CHAR};
    case Type::xnn_datatype_quint8:
      return {Scalar::BYTE};
    case Type::xnn_datatype_int32:
      if (is_output) return {Scalar::INT, Scalar::LONG};
      return {Scalar::INT};
    default:
      return {};
  }
}

class GraphReader {
 public:
  GraphReader(const XNNGraph& graph, const XnnpackGraphPlace& place) : graph_(graph), place_(place) {}

  DecodedBlob Read() && {
    if (OrEmpty(graph_.xvalues()).size() == 0 || OrEmpty(graph_.xnodes()).size() == 0) {
      Problem("xnnpack-graph-incomplete", "graph", "has no values or no operators");
    }
    if (graph_.num_externs() > kMaxExternals) {
      Problem("xnnpack-external-id", "graph",
              Text("has ", graph_.num_externs(), " inputs and outputs, at most ", kMaxExternals, " expected"));
    }
    uint32_t index = 0;
    for (const XValue* value : OrEmpty(graph_.xvalues())) ReadValue(*value, Text("value ", index++));
    CheckListed("input_ids", graph_.input_ids(), &XnnpackValue::is_input);
    CheckListed("output_ids", graph_.output_ids(), &XnnpackValue::is_output);
    ReadNodes();
    out_.keys.assign(keys_.begin(), keys_.end());
    out_.arguments = externals_.empty() ? 0 : *externals_.rbegin() + 1;
    out_.problems = std::move(problems_).Take();
    return std::move(out_);
  }

 private:
  void Problem(const char* id, const std::string& where, std::string message) {
    problems_.Add(id, where, std::move(message));
  }

  void ReadNodes() {
    XnnpackOperators operators(values_, problems_);
    const size_t before = problems_.count();
    uint32_t index = 0;
    for (const XNode* node : OrEmpty(graph_.xnodes())) {
      out_.operators.push_back(XnnpackOperatorName(node->xnode_union_type()));
      out_.operator_constants.push_back(ConstantsOf(*node));
      operators.Check(*node, Text("operator ", index++));
    }
    if (operators.has_unknown() || problems_.count() != before) return;  // may have written the output
    for (const auto& [id, where] : outputs_) {
      if (values_[id].is_known) continue;
      Problem("xnnpack-graph-incomplete", where, "is an output of the graph but written by no operator");
    }
  }

  // Scales, too.
  std::vector<size_t> ConstantsOf(const XNode& node) const {
    const XnnpackOperator type = node.xnode_union_type();
    std::set<size_t> found;
    if (type == XnnpackOperator::NONE || type > XnnpackOperator::MAX || node.xnode_union() == nullptr) return {};
    const XnnpackNode fields(node);
    const XnnpackRule* rule = FindXnnpackRule(type);
    for (const std::string_view field : fields.ValueFields(rule == nullptr ? 0 : rule->inputs)) {
      const auto constants = constants_of_.find(fields.Number(field));
      if (constants != constants_of_.end()) found.insert(constants->second.begin(), constants->second.end());
    }
    return {found.begin(), found.end()};
  }

  // Runtimes up to 0.1 go by these lists, newer ones by the values' flags.
  void CheckListed(const char* list, const flatbuffers::Vector<uint32_t>* ids, bool XnnpackValue::*is_such) {
    for (const uint32_t id : OrEmpty(ids)) {
      const auto found = values_.find(id);
      if (found != values_.end() && found->second.*is_such) continue;
      Problem("xnnpack-external-id", "graph", Text("lists value ", id, " in ", Quoted(list), ", which is none"));
    }
  }

  void ReadValue(const XValue& value, const std::string& where) {
    const XNNQuantizedTensorValue* quantized = value.xvalue_union_as_XNNQuantizedTensorValue();
    const XNNTensorValue* tensor = quantized ? quantized->tensor_value() : value.xvalue_union_as_XNNTensorValue();
    if (tensor == nullptr) return Problem("xnnpack-value", where, "is no tensor");
    XnnpackValue facts;
    facts.type = tensor->datatype();
    facts.is_constant = tensor->constant_buffer_idx() != 0;
    facts.is_input = (tensor->flags() & kInputFlag) != 0;
    facts.is_output = (tensor->flags() & kOutputFlag) != 0;
    facts.is_known = facts.is_constant || facts.is_input;
    CheckExternal(*tensor, facts, where);
    const size_t before = problems_.count();
    value_id_ = tensor->id_out();
    const bool has_dims = CheckDims(*tensor, where);
    if (has_dims) facts.sizes = SizesOf(*tensor);
    if (quantized == nullptr) CheckType(*tensor, where, "a plain tensor", kPlain);
    CheckDynamicInput(*tensor, facts, where);
    if (has_dims && facts.is_constant)
      AddConstant(tensor->constant_buffer_idx(), tensor->datatype(), facts.sizes, where);
    if (has_dims && quantized != nullptr) CheckQuantization(*quantized, *tensor, facts, where);
    facts.is_sound = problems_.count() == before;
    const auto [place, is_new] = values_.emplace(tensor->id_out(), std::move(facts));
    if (is_new) return;
    place->second.is_sound = false;
    Problem("xnnpack-value-id", where, Text("has id ", tensor->id_out(), ", which a value before it has as well"));
  }

  void CheckExternal(const XNNTensorValue& tensor, const XnnpackValue& value, const std::string& where) {
    const auto wrong = [&](const std::string& message) { Problem("xnnpack-external-id", where, message); };
    const uint32_t number = tensor.external_id();
    const bool is_external = number != kNoXnnpackValue;
    if (is_external && number >= graph_.num_externs()) {
      wrong(Text("is input or output ", number, " of the graph, which has ", graph_.num_externs()));
    } else if (is_external && !externals_.insert(number).second) {
      wrong(Text("is input or output ", number, " of the graph, which a value before it is as well"));
    } else if (is_external) {
      AddArgument(tensor, value);
    }
    if ((tensor.flags() & ~kKnownFlags) != 0) {
      Problem("xnnpack-value", where,
              Text("has flags ", Hex(tensor.flags()), ", at most ", Hex(kKnownFlags), " expected"));
    } else if (tensor.flags() != 0 && !is_external) {
      wrong("is an input or output of the graph but does not say which");
    } else if (tensor.flags() == 0 && is_external) {
      wrong(Text("is input or output ", number, " of the graph but does not say which of both"));
    } else if (value.is_input && value.is_output) {
      wrong("is both an input and an output of the graph");
    }
    if (is_external && value.is_constant)
      wrong(Text("is a constant but also input or output ", number, " of the graph"));
    if (value.is_output) outputs_.emplace_back(tensor.id_out(), where);
  }

  void AddArgument(const XNNTensorValue& tensor, const XnnpackValue& value) {
    BlobArgument argument;
    argument.index = tensor.external_id();
    argument.is_output = value.is_output;
    argument.types = ScalarTypesOf(tensor.datatype(), value.is_output);
    argument.dtype = XnnpackTypeName(tensor.datatype());
    argument.dims = OrEmpty(tensor.dims()).size();
    out_.tensors.push_back(std::move(argument));
  }

  // Old releases quantize an input while running if `dq_datatype` says so, and read it as such.
  void CheckDynamicInput(const XNNTensorValue& tensor, XnnpackValue& value, const std::string& where) {
    const Type dynamic = tensor.dq_datatype();
    if (dynamic <= Type::xnn_datatype_invalid || dynamic > Type::MAX)
      return;  // the runtime ignores what it does not know
    if (dynamic != Type::xnn_datatype_qint8 || !value.is_input || value.is_constant) {
      Problem(
          "xnnpack-value-type", where,
          Text("is to be quantized to '", XnnpackTypeName(dynamic), "' while running, only inputs to 'qint8' can be"));
    }
    if (kPlain.Has(value.type)) value.type = Type::xnn_datatype_qdint8;
  }

  bool CheckDims(const XNNTensorValue& tensor, const std::string& where) {
    const uint32_t count = OrEmpty(tensor.dims()).size();
    if (tensor.num_dims() == count && count <= kMaxXnnpackDims) return true;
    Problem("xnnpack-value-dims", where,
            count > kMaxXnnpackDims ? Text("has ", count, " dimensions, at most ", kMaxXnnpackDims, " expected")
                                    : Text("says it has ", tensor.num_dims(), " dimensions but lists ", count));
    return false;
  }

  void CheckType(const XNNTensorValue& tensor, const std::string& where, const char* what, XnnpackTypes types) {
    if (types.Has(tensor.datatype())) return;
    Problem("xnnpack-value-type", where, Text("is ", what, " of type '", XnnpackTypeName(tensor.datatype()), "'"));
  }

  void CheckQuantization(const XNNQuantizedTensorValue& value, const XNNTensorValue& tensor, XnnpackValue& facts,
                         const std::string& where) {
    if (const auto* each = value.quant_params_as_PerTensorQuant()) {
      facts.scale = each->scale();
      facts.zero_point = each->zero_point();
      return CheckPerTensor(*each, tensor, where);
    }
    if (const auto* channels = value.quant_params_as_PerChannelQuant()) {
      facts.channel_dim = channels->channel_dim();
      return CheckPerChannel(*channels, tensor, where);
    }
    if (const auto* groups = value.quant_params_as_PerChannelGroupQuant()) {
      facts.channel_dim = groups->channel_dim();
      facts.group_size = groups->group_size();
      return CheckGroups(*groups, tensor, where);
    }
    if (const auto* tokens = value.quant_params_as_PerTokenDynamicQuant()) return CheckDynamic(*tokens, tensor, where);
    Problem("xnnpack-quantization", where, "is quantized in no way that is known");
  }

  void CheckScale(float scale, const std::string& where) {
    if (std::isnormal(scale) && scale > 0) return;
    Problem("xnnpack-quantization", where, Text("has scale ", std::to_string(scale), ", a positive number expected"));
  }

  void CheckPerTensor(const PerTensorQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor with one scale", kOneScale);
    CheckScale(params.scale(), where);
    const int32_t zero = params.zero_point();
    const bool fits = tensor.datatype() == Type::xnn_datatype_qint8    ? zero >= -128 && zero <= 127
                      : tensor.datatype() == Type::xnn_datatype_quint8 ? zero >= 0 && zero <= 255
                                                                       : zero == 0;
    if (!fits) Problem("xnnpack-quantization", where, Text("has zero point ", zero, ", which its type cannot hold"));
  }

  // False for a dimension that the tensor has not.
  bool CheckChannelDim(int32_t dim, uint32_t rank, const std::string& where) {
    if (dim >= 0 && static_cast<uint32_t>(dim) < rank) return true;
    Problem("xnnpack-quantization", where,
            Text("has its channels in dimension ", dim, ", which does not exist: there are ", rank));
    return false;
  }

  void CheckPerChannel(const PerChannelQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor with scales for channels", kScaleEach);
    const auto& dims = OrEmpty(tensor.dims());
    if (!CheckChannelDim(params.channel_dim(), dims.size(), where)) return;
    const uint32_t channels = dims.Get(static_cast<uint32_t>(params.channel_dim()));
    AddScales(params.scale_buffer_idx(), params.scale(), channels, Type::xnn_datatype_fp32, where);
  }

  void CheckGroups(const PerChannelGroupQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor with scales for groups", kBlocks);
    const auto& dims = OrEmpty(tensor.dims());
    if (!CheckChannelDim(params.channel_dim(), dims.size(), where)) return;
    if (dims.size() < 2 || params.group_size() <= 0 ||
        static_cast<uint32_t>(params.group_size()) % kInt4BlockUnit != 0) {
      return Problem("xnnpack-quantization", where,
                     Text("has groups of ", params.group_size(), " in ", dims.size(), " dimensions, a multiple of ",
                          kInt4BlockUnit, " and at least 2 dimensions expected"));
    }
    const uint64_t scales = uint64_t{dims.Get(0)} * dims.Get(1) / static_cast<uint32_t>(params.group_size());
    const uint64_t listed = params.scale_buffer_idx() != 0 ? params.num_scales() : OrEmpty(params.scale()).size();
    if (listed != scales) {
      return Problem("xnnpack-quantization", where,
                     Text("has ", listed, " scales, one for each of ", scales, " groups expected"));
    }
    AddScales(params.scale_buffer_idx(), params.scale(), scales, Type::xnn_datatype_bf16, where);
  }

  void CheckDynamic(const PerTokenDynamicQuant& params, const XNNTensorValue& tensor, const std::string& where) {
    CheckType(tensor, where, "a tensor that is quantized while running", kDynamic);
    if (tensor.flags() != 0) {
      Problem("xnnpack-quantization", where, "is an input or output of the graph but quantized while running");
    }
    const uint32_t rank = OrEmpty(tensor.dims()).size();
    if (params.num_nonbatch_dims() < 0 || static_cast<uint32_t>(params.num_nonbatch_dims()) > rank) {
      Problem("xnnpack-quantization", where,
              Text("is quantized over ", params.num_nonbatch_dims(), " dimensions, 0 to ", rank, " expected"));
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
    for (const float scale : OrEmpty(scales)) CheckScale(scale, where);
  }

  // `value` reads it as a dense tensor of this type and these sizes.
  void AddConstant(uint32_t index, Type type, const std::vector<uint64_t>& sizes, const std::string& value) {
    const std::optional<uint64_t> bytes = XnnpackBytesOf(type, sizes);
    const std::string where = Text("constant ", index, " of ", value);
    if (!bytes) Problem("xnnpack-constant-short", where, "has more bytes than can be counted");
    const auto [place, is_new] = constant_at_.emplace(index, out_.constants.size());
    if (is_new) {
      BlobConstant constant;
      constant.dtype = XnnpackTypeName(type);
      constant.sizes = sizes;
      if (!Locate(index, constant, where)) {
        constant_at_.erase(place);
        return;
      }
      out_.constants.push_back(std::move(constant));
    }
    constants_of_[value_id_].push_back(place->second);
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

  const XNNGraph& graph_;
  const XnnpackGraphPlace& place_;
  DecodedBlob out_;
  XnnpackProblems problems_;
  XnnpackValues values_;
  std::set<uint32_t> externals_;
  std::vector<std::pair<uint32_t, std::string>> outputs_;  // ids, and where they are
  std::map<uint32_t, size_t> constant_at_;                 // in out_.constants, by index in the graph
  uint32_t value_id_ = 0;                                  // of the value that is being read
  std::map<uint32_t, std::vector<size_t>> constants_of_;   // in out_.constants, by id of the value
  std::set<std::string> keys_;
};

}  // namespace

DecodedBlob ReadXnnpackGraph(const schema::xnnpack::XNNGraph& graph, const XnnpackGraphPlace& place) {
  return GraphReader(graph, place).Read();
}

}  // namespace pteedit
