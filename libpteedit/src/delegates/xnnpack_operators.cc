#include "delegates/xnnpack_operators.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/text.h"

namespace pteedit {
namespace {

using Op = XnnpackOperator;
using Shape = XnnpackShape;
using enum schema::xnnpack::XNNDatatype;

constexpr uint32_t kSamePadding = 0x4;  // TensorFlow's, with convolutions and pools
constexpr uint32_t kLegacyMode = 0x4;   // of a resizing
constexpr uint32_t kAlignedCorners = 0x8;
constexpr uint32_t kTurnedFilter = 0x1;  // inputs before outputs

constexpr std::string_view kPaddings[] = {"padding_top", "padding_right", "padding_bottom", "padding_left"};
constexpr XnnpackTypes kOneScaleOperands{xnn_datatype_qint8, xnn_datatype_quint8};
constexpr XnnpackTypes kScaleEachOperands{xnn_datatype_qcint8, xnn_datatype_qcint4};
constexpr XnnpackTypes kNeedNoConstant{xnn_datatype_fp32, xnn_datatype_fp16};

// Above the largest number of fp16 there is only infinity; smaller ones need not be rounded to tell them apart roughly.
float AsHalf(float number) {
  constexpr float kLimit = 65520;
  return std::fabs(number) < kLimit ? number : std::copysign(HUGE_VALF, number);
}

std::string Field(std::string_view name) { return Quoted(name); }

}  // namespace

const XnnpackValue* XnnpackUse::Of(std::string_view field) const {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == field; });
  return found == values.end() ? nullptr : found->second;
}

const XnnpackValue* XnnpackUse::Input() const { return Of(node.Has("input_id") ? "input_id" : "input1_id"); }

const XnnpackValue* XnnpackUse::Filter() const { return Of(node.Has("filter_id") ? "filter_id" : "input2_id"); }

const XnnpackValue* XnnpackUse::Output() const { return Of(node.Has("output_id") ? "output_id" : "output_value_id"); }

void XnnpackOperators::Check(const schema::xnnpack::XNode& node, const std::string& where) {
  const Op type = node.xnode_union_type();
  if (type > Op::MAX) {
    has_unknown_ = true;
    return problems_.Add("xnnpack-unknown-operator", where,
                         Text("is of type ", static_cast<int>(type), ", which no release up to 1.5 knows"),
                         Severity::kWarning);
  }
  if (type == Op::NONE || node.xnode_union() == nullptr)
    return problems_.Add("xnnpack-operator", where, "says nothing of itself");
  const XnnpackNode fields(node);
  const std::string place = Text(where, " (", XnnpackOperatorName(type), ")");
  const bool has_lists = CheckLists(fields, place);
  static constexpr XnnpackRule kNoRule;
  const XnnpackRule* rule = FindXnnpackRule(type);
  if (rule == nullptr) {
    problems_.Add("xnnpack-dropped-operator", place, "is of a kind that runtimes since 0.7 refuse", Severity::kWarning);
  }
  CheckRow(fields, rule != nullptr ? *rule : kNoRule, has_lists, place);
}

void XnnpackOperators::CheckRow(const XnnpackNode& node, const XnnpackRule& rule, bool has_lists,
                                const std::string& where) {
  XnnpackUse use{node, rule, where, {}};
  bool is_whole = has_lists;
  for (const std::string_view field : node.ValueFields(rule.inputs)) {
    const uint32_t id = node.Number(field);
    if (id == kNoXnnpackValue && field == "bias_id") continue;
    const XnnpackValue* value = FindValue(field, id, where);
    if (value != nullptr) use.values.emplace_back(field, value);
    is_whole = is_whole && value != nullptr && value->is_sound;
  }
  if (rule.type == Op::NONE) return;
  CheckNumbers(use);
  CheckBounds(use);
  if (!is_whole) return;
  CheckTypes(use);
  CheckConstants(use);
  CheckQuantization(use);
  CheckXnnpackShapes(use, problems_);
}

XnnpackValue* XnnpackOperators::FindValue(std::string_view field, uint32_t id, const std::string& where) {
  const auto wrong = [&](const std::string& message) { problems_.Add("xnnpack-operator-value", where, message); };
  if (id == kNoXnnpackValue) {
    wrong(Text("names no value in ", Field(field)));
    return nullptr;
  }
  const auto found = values_.find(id);
  if (found == values_.end()) {
    wrong(Text("names value ", id, " in ", Field(field), ", which does not exist"));
    return nullptr;
  }
  XnnpackValue& value = found->second;
  if (field.starts_with("output")) {
    value.is_known = true;
    if (!value.is_constant && !value.is_input) return &value;
    const char* what = value.is_constant ? "a constant" : "an input of the graph";
    wrong(Text("writes value ", id, " in ", Field(field), ", which is ", what));
    return nullptr;
  } else if (!value.is_known && !has_unknown_) {
    wrong(Text("reads value ", id, " in ", Field(field), ", which nothing before it writes"));
  }
  return &value;
}

// Paddings have no number of dimensions of their own.
bool XnnpackOperators::CheckLists(const XnnpackNode& node, const std::string& where) {
  const size_t before = problems_.count();
  const auto wrong = [&](const std::string& message) { problems_.Add("xnnpack-operator-dims", where, message); };
  uint64_t rank = node.Number("num_dims");
  if (!node.Has("num_dims") && node.Has("pre_paddings")) {
    const auto found = values_.find(node.Number("input_id"));
    rank = found != values_.end() ? found->second.sizes.size() : 0;
  }
  for (const std::string_view name : node.ListFields()) {
    const XnnpackNode::List* list = node.ListOf(name);
    if (list == nullptr || list->size() != rank || rank > kMaxXnnpackDims) {
      wrong(Text("has ", OrEmpty(list).size(), " elements in ", Field(name), ", one for each of ", rank,
                 " dimensions expected"));
    } else if (name == "perm") {
      uint64_t seen = 0;
      for (const uint32_t dim : *list) seen |= dim < rank ? uint64_t{1} << dim : 0;
      if (rank == 0 || seen != (uint64_t{1} << rank) - 1)
        wrong(Text("has numbers in 'perm' that are no order of the ", rank, " dimensions"));
    }
  }
  return problems_.count() == before;
}

void XnnpackOperators::CheckNumbers(const XnnpackUse& use) {
  const auto wrong = [&](const std::string& message) {
    problems_.Add("xnnpack-operator-parameter", use.where, message);
  };
  for (const std::string_view field : use.rule.positive) {
    if (use.node.Number(field) == 0) wrong(Text("has ", Field(field), " 0, at least 1 expected"));
  }
  const uint32_t flags = use.node.Number("flags");
  if ((flags & ~use.rule.flags) != 0) {
    wrong(Text("has flags ", Hex(flags), ", none but those of ", Hex(use.rule.flags), " expected"));
  }
  const bool is_resizing = use.rule.type == Op::XNNStaticResizeBilinear2D;
  if (is_resizing && (flags & kLegacyMode) != 0 && (flags & kAlignedCorners) != 0) {
    wrong(Text("has flags ", Hex(flags), ", which exclude each other"));
  }
  const bool is_padded = std::any_of(std::begin(kPaddings), std::end(kPaddings),
                                     [&](std::string_view field) { return use.node.Number(field) != 0; });
  if (is_padded && (flags & kSamePadding) != 0 && use.rule.is_bounded && use.rule.type != Op::XNNConvTranspose2d) {
    wrong(Text("has flags ", Hex(flags), ", which ask for another padding than the one it has"));
  }
  for (const std::string_view field : {"new_height", "new_width"}) {
    constexpr uint32_t kLimit = uint32_t{1} << 24;
    const uint32_t size = use.node.Number(field);
    if (size >= kLimit) wrong(Text("has ", Field(field), " ", size, ", less than ", kLimit, " expected"));
  }
}

void XnnpackOperators::CheckBounds(const XnnpackUse& use) {
  const schema::xnnpack::OutputMinMax* bounds = use.node.bounds();
  if (bounds == nullptr || !use.rule.is_bounded) return;
  const auto wrong = [&](const char* expected) {
    problems_.Add("xnnpack-operator-parameter", use.where,
                  Text("bounds its output by ", std::to_string(bounds->output_min()), " and ",
                       std::to_string(bounds->output_max()), ", ", expected, " expected"));
  };
  if (!(bounds->output_min() <= bounds->output_max())) return wrong("a range");
  const XnnpackValue* output = use.Output();
  const bool is_rounded =
      use.rule.type == Op::XNNConv2d || use.rule.type == Op::XNNDepthwiseConv2d || use.rule.type == Op::XNNAvgPooling2d;
  if (!is_rounded || output == nullptr || output->type != xnn_datatype_fp16) return;
  if (AsHalf(bounds->output_min()) >= AsHalf(bounds->output_max())) wrong("two numbers that differ as fp16");
}

void XnnpackOperators::CheckTypes(const XnnpackUse& use) {
  const XnnpackRule& rule = use.rule;
  const auto fits_layer = [&](const XnnpackLayerTypes& layer) {
    const XnnpackValue* bias = use.Of("bias_id");
    return use.Input()->type == layer.input && use.Filter()->type == layer.filter &&
           use.Output()->type == layer.output && (bias == nullptr || layer.biases.Has(bias->type));
  };
  bool fits = false;
  if (!rule.layers.empty()) {
    fits = std::any_of(rule.layers.begin(), rule.layers.end(), fits_layer);
  } else if (rule.type == Op::XNNConvert) {
    const bool is_dynamic = use.Output()->type == xnn_datatype_qdint8;
    fits = is_dynamic ? kNeedNoConstant.Has(use.Input()->type)
                      : rule.types.Has(use.Input()->type) && rule.types.Has(use.Output()->type);
  } else {
    fits =
        rule.types.Has(use.Output()->type) && std::all_of(use.values.begin(), use.values.end(), [&](const auto& each) {
          return each.second->type == use.Output()->type || each.first == "output_index_id";
        });
  }
  if (fits) return;
  std::string types;
  for (const auto& [field, value] : use.values) {
    types += Text(types.empty() ? "" : ", ", XnnpackTypeName(value->type), " in ", Field(field));
  }
  problems_.Add("xnnpack-operator-types", use.where, Text("has ", types, ", which no release computes"));
}

// Filters and biases are packed while loading.
void XnnpackOperators::CheckConstants(const XnnpackUse& use) {
  const XnnpackValue* filter = use.Of("filter_id");
  const XnnpackValue* bias = use.Of("bias_id");
  if (filter == nullptr) return;
  const bool is_linear = use.rule.shape == Shape::kFullyConnected;
  const auto check = [&](std::string_view field, const XnnpackValue& value, bool can_vary) {
    if (value.is_constant || can_vary) return;
    problems_.Add("xnnpack-operator-value", use.where, Text("has a ", Field(field), " that is no constant"));
  };
  check("filter_id", *filter, is_linear && kNeedNoConstant.Has(filter->type));
  if (bias != nullptr) {
    check("bias_id", *bias, is_linear && kNeedNoConstant.Has(bias->type) && !kScaleEachOperands.Has(filter->type));
  }
}

// Products of numbers with one scale each are scaled to the output by a factor that the kernels must be able to hold.
void XnnpackOperators::CheckRequantization(const XnnpackUse& use) {
  constexpr float kLimit = 256;
  if (use.rule.layers.empty()) return;
  const XnnpackValue &input = *use.Input(), &filter = *use.Filter(), &output = *use.Output();
  if (!kOneScaleOperands.Has(input.type) || !kOneScaleOperands.Has(filter.type) || !kOneScaleOperands.Has(output.type))
    return;
  const float factor = input.scale * filter.scale / output.scale;
  if (factor > 0 && factor < kLimit) return;
  problems_.Add("xnnpack-quantization", use.where,
                Text("scales its output by ", std::to_string(factor), ", a number above 0 and below 256 expected"));
}

void XnnpackOperators::CheckQuantization(const XnnpackUse& use) {
  const auto wrong = [&](const std::string& message) { problems_.Add("xnnpack-quantization", use.where, message); };
  const XnnpackValue& output = *use.Output();
  const auto words = [](const XnnpackValue& value) {
    return Text("scale ", std::to_string(value.scale), " and zero point ", value.zero_point);
  };
  for (const auto& [field, value] : use.values) {
    const bool is_kept =
        use.rule.keeps_quantization && field.starts_with("input") && kOneScaleOperands.Has(output.type);
    if (is_kept && (value->scale != output.scale || value->zero_point != output.zero_point)) {
      wrong(Text("reads ", words(*value), " in ", Field(field), " but writes ", words(output)));
    }
  }
  CheckRequantization(use);
  const XnnpackValue* filter = use.Of("filter_id");
  if (filter == nullptr || filter->sizes.empty()) return;
  if (filter->type == xnn_datatype_qint8 && filter->zero_point != 0) {
    wrong(Text("has zero point ", filter->zero_point, " in 'filter_id', 0 expected"));
  }
  const bool is_turned = use.rule.shape == Shape::kFullyConnected && (use.node.Number("flags") & kTurnedFilter) != 0;
  const bool is_blocked = filter->type == xnn_datatype_qbint4;
  const auto channel_dim = use.rule.shape == Shape::kDepthwise ? static_cast<int32_t>(filter->sizes.size() - 1)
                           : is_turned                         ? 1
                                                               : 0;
  if ((kScaleEachOperands.Has(filter->type) || is_blocked) && filter->channel_dim != channel_dim) {
    wrong(Text("has the channels of 'filter_id' in dimension ", filter->channel_dim, ", ", channel_dim, " expected"));
  }
  if (is_blocked && is_turned) wrong("turns a 'filter_id' of groups");
  if (is_blocked && filter->sizes.size() > 1 && filter->group_size > 0 &&
      filter->sizes[1] % static_cast<uint32_t>(filter->group_size) != 0) {
    wrong(Text("has ", filter->sizes[1], " inputs, a multiple of its groups' ", filter->group_size, " expected"));
  }
}

}  // namespace pteedit
