#include <algorithm>
#include <optional>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/xnnpack_operators.h"

namespace pteedit {
namespace {

using Shape = XnnpackShape;

constexpr uint32_t kTurned = 0x1;       // a filter that has inputs before outputs, a second matrix that is transposed
constexpr uint32_t kTurnedFirst = 0x2;  // a first matrix that is transposed

std::string Words(const std::vector<uint64_t>& sizes) { return sizes.empty() ? "one number" : Joined(sizes, " x "); }

class ShapeReader {
 public:
  ShapeReader(const XnnpackUse& use, XnnpackProblems& problems) : use_(use), problems_(problems) {}

  void Read() {
    CheckRank("input", *use_.Input());
    if (const XnnpackValue* output = use_.Output()) CheckRank("output", *output);
    switch (use_.rule.shape) {
      case Shape::kFullyConnected:
        return CheckLinear();
      case Shape::kConvolution:
      case Shape::kDepthwise:
        return CheckConvolution();
      case Shape::kConcatenation:
        return CheckAxis();
      case Shape::kTranspose:
      case Shape::kSlice:
        return CheckDims();
      case Shape::kReshape:
        return CheckElements();
      case Shape::kMatrixMultiply:
        return CheckMatrices();
      case Shape::kPadding:
      case Shape::kAny:
        return;
    }
  }

 private:
  void Wrong(const std::string& message) { problems_.Add("xnnpack-operator-dims", use_.where, message); }

  void CheckRank(const char* what, const XnnpackValue& value) {
    if (use_.rule.rank == 0 || value.sizes.size() == use_.rule.rank) return;
    Wrong(Text("has an ", what, " of ", value.sizes.size(), " dimensions, ", use_.rule.rank, " expected"));
  }

  // That the last dimension is the number of channels.
  void CheckChannels(const char* what, const XnnpackValue& value, std::optional<uint64_t> channels) {
    if (value.sizes.empty() || !channels || value.sizes.back() == *channels) return;
    Wrong(Text("has an ", what, " of ", value.sizes.back(), " channels, ", *channels, " expected"));
  }

  void CheckBias(std::optional<uint64_t> channels) {
    const XnnpackValue* bias = use_.Of("bias_id");
    if (bias == nullptr || !channels || CheckedProduct(1, bias->sizes) == channels) return;
    Wrong(Text("has a bias of ", Words(bias->sizes), ", ", *channels, " expected"));
  }

  void CheckLinear() {
    const XnnpackValue& filter = *use_.Filter();
    if (filter.sizes.size() != 2) {
      return Wrong(Text("has a filter of ", filter.sizes.size(), " dimensions, 2 expected"));
    }
    const bool is_turned = (use_.node.Number("flags") & kTurned) != 0;
    const uint64_t outputs = filter.sizes[is_turned ? 1 : 0];
    const uint64_t inputs = filter.sizes[is_turned ? 0 : 1];
    if (outputs == 0 || inputs == 0) Wrong(Text("has a filter of ", Words(filter.sizes), ", none of them 0 expected"));
    CheckChannels("input", *use_.Input(), inputs);
    CheckChannels("output", *use_.Output(), outputs);
    CheckBias(outputs);
  }

  void CheckConvolution() {
    const auto number = [&](std::string_view field) { return uint64_t{use_.node.Number(field)}; };
    const uint64_t groups = number("groups"), group_inputs = number("group_input_channels");
    if (groups == 0 || group_inputs == 0) return;
    // A depthwise convolution has one input channel a group, however many its fields say, and as many outputs as fit.
    const bool is_depthwise = use_.rule.shape == Shape::kDepthwise;
    const uint64_t group_outputs = number("group_output_channels") / (is_depthwise ? group_inputs : 1);
    const std::optional<uint64_t> inputs = is_depthwise ? groups : CheckedMultiply(groups, group_inputs);
    const std::optional<uint64_t> outputs = CheckedMultiply(groups, group_outputs);
    if (is_depthwise && group_outputs == 0) {
      Wrong(Text("has ", number("group_output_channels"), " output channels, at least one for each of ", group_inputs,
                 " input channels expected"));
    }
    CheckFilter(outputs, {number("kernel_height"), number("kernel_width"), is_depthwise ? 1 : group_inputs});
    CheckChannels("input", *use_.Input(), inputs);
    CheckChannels("output", *use_.Output(), outputs);
    CheckBias(outputs);
  }

  // That it has the sizes `window` for each output.
  void CheckFilter(std::optional<uint64_t> outputs, const std::vector<uint64_t>& window) {
    const XnnpackValue& filter = *use_.Filter();
    const std::optional<uint64_t> each = CheckedProduct(1, window);
    const std::optional<uint64_t> all = outputs && each ? CheckedMultiply(*outputs, *each) : std::nullopt;
    const size_t channel_dim = use_.rule.shape == Shape::kDepthwise ? filter.sizes.size() - 1 : 0;
    const bool has_outputs = !filter.sizes.empty() && outputs == filter.sizes[channel_dim];
    if (has_outputs && all && CheckedProduct(1, filter.sizes) == all) return;
    Wrong(Text("has a filter of ", Words(filter.sizes), ", ", outputs ? Text(*outputs) : "too many", " outputs with ",
               Words(window), " each expected"));
  }

  void CheckAxis() {
    const auto axis = static_cast<int32_t>(use_.node.Number("axis"));
    const auto rank = static_cast<int32_t>(use_.Output()->sizes.size());  // at most kMaxXnnpackDims
    if (axis >= rank || axis < -rank) Wrong(Text("has axis ", axis, ", ", -rank, " to ", rank - 1, " expected"));
    for (const auto& [field, value] : use_.values) {
      if (value->sizes.size() == static_cast<size_t>(rank)) continue;
      Wrong(Text("has ", value->sizes.size(), " dimensions in ", Quoted(field), ", ", rank,
                 " as in its output expected"));
    }
  }

  void CheckDims() {
    const std::vector<uint64_t>& sizes = use_.Input()->sizes;
    const uint32_t rank = use_.node.Number("num_dims");
    if (sizes.size() != rank)
      return Wrong(Text("has ", rank, " dimensions, ", sizes.size(), " as in its input expected"));
    const auto& offsets = OrEmpty(use_.node.ListOf("offsets"));
    const auto& parts = OrEmpty(use_.node.ListOf("sizes"));
    for (uint32_t i = 0; i < std::min({rank, offsets.size(), parts.size()}); ++i) {
      const uint64_t end = uint64_t{offsets.Get(i)} + parts.Get(i);
      if (end <= sizes[i]) continue;
      Wrong(Text("takes ", parts.Get(i), " from ", offsets.Get(i), " on of dimension ", i, ", which has ", sizes[i]));
    }
  }

  // A size of 0 is whatever is left.
  void CheckElements() {
    const auto& list = OrEmpty(use_.node.ListOf("new_shape"));
    const std::vector<uint64_t> shape(list.begin(), list.end());
    const auto given = CheckedProduct(1, use_.Input()->sizes), made = CheckedProduct(1, shape);
    if (!given || (made == given) || *given == 0) return;
    if (made == uint64_t{0} && std::count(shape.begin(), shape.end(), uint64_t{0}) == 1) return;
    Wrong(Text("makes ", Words(shape), " of ", Words(use_.Input()->sizes), ", which has another number of elements"));
  }

  void CheckMatrices() {
    const std::vector<uint64_t>&a = use_.Input()->sizes, &b = use_.Filter()->sizes;
    if (a.size() < 2 || b.size() < 2) {
      return Wrong(Text("multiplies ", a.size(), " by ", b.size(), " dimensions, at least 2 expected"));
    }
    const uint32_t flags = use_.node.Number("flags");
    const uint64_t columns = a[a.size() - ((flags & kTurnedFirst) != 0 ? 2 : 1)];
    const uint64_t rows = b[b.size() - ((flags & kTurned) != 0 ? 1 : 2)];
    if (columns != rows) Wrong(Text("multiplies ", columns, " columns by ", rows, " rows, as many expected"));
  }

  const XnnpackUse& use_;
  XnnpackProblems& problems_;
};

}  // namespace

void CheckXnnpackShapes(const XnnpackUse& use, XnnpackProblems& problems) { ShapeReader(use, problems).Read(); }

}  // namespace pteedit
