#include "delegates/work_rules.h"

#include <algorithm>
#include <set>

#include "base/checked.h"

namespace pteedit {
namespace {

constexpr size_t kFilter = 1;  // or the second matrix

class WorkReader {
 public:
  WorkReader(WorkRule rule, std::span<const WorkArgument> args) : rule_(rule), args_(args) {}

  Amount Macs() const {
    switch (rule_.work) {
      case Work::kProduct:
        return Product({ElementsOf(Output()), SizeOf(At(rule_.argument), -1)});
      case Work::kMatrices:
        return Product({ElementsOf(Output()), InnerOf(At(0))});
      case Work::kConvolution:
        return Product({ElementsOf(Output()), FilterPer(0)});
      case Work::kEitherConvolution:
        if (!At(rule_.argument).flag) return std::nullopt;
        return Product({ElementsOf(*At(rule_.argument).flag ? At(0) : Output()), FilterPer(0)});
      case Work::kWindowFirst:
        return Product({ElementsOf(Output()), SizeOf(At(1), 0), SizeOf(At(1), 1)});
      case Work::kTransposedChannelsFirst:
        return Product({ElementsOf(At(0)), FilterPer(0)});
      case Work::kTransposedChannelsLast:
        return Product({ElementsOf(At(0)), FilterPer(-1)});
      case Work::kAttention:
        return Product({Sum(ElementsOf(At(0)), ElementsOf(Output())), SizeOf(At(rule_.argument), -2)});
      case Work::kCacheAttention:
        return Product({2, ElementsOf(At(0)), SizeOf(At(rule_.argument), 1)});
      case Work::kUntoldMacs:
        return std::nullopt;
      default:
        return 0;
    }
  }

  Amount Bytes() const {
    if (rule_.work == Work::kNothing) return 0;
    if (rule_.work == Work::kWritten) return Product({2, At(rule_.argument).bytes});
    std::set<uint64_t> seen;  // outputs of kernels come twice
    Amount sum = 0;
    for (size_t i = 0; i < args_.size(); ++i) {
      if (!seen.insert(args_[i].id).second) continue;
      const Amount part = PartOf(i), all = args_[i].value->bytes;
      sum = Sum(sum, all && part ? std::min(*all, *part) : all);
    }
    return sum;
  }

 private:
  const WorkValue& At(size_t argument) const {
    static const WorkValue kNone = UntoldValue();
    return argument < args_.size() ? *args_[argument].value : kNone;
  }
  const WorkValue& Output() const { return At(args_.size() - 1); }

  // Of the two last dimensions of a matrix, the one that the output has not: its rows are those of the output.
  Amount InnerOf(const WorkValue& matrix) const {
    if (args_.size() <= kFilter + 1) return std::nullopt;
    const Amount rows = SizeOf(matrix, -2), columns = SizeOf(matrix, -1), kept = SizeOf(Output(), -2);
    if (!rows) return columns;  // a vector
    return rows == kept ? columns : columns == kept ? rows : std::nullopt;
  }

  // Of the elements of the filter, those of one of the channels in `dim`.
  Amount FilterPer(int dim) const {
    if (args_.size() <= kFilter + 1) return std::nullopt;  // the last one is what it gives
    const Amount filter = ElementsOf(At(kFilter)), channels = SizeOf(At(kFilter), dim);
    return filter && channels && *channels != 0 ? Amount(*filter / *channels) : std::nullopt;
  }

  // What is read of an argument that may not be read as a whole, else nothing.
  Amount PartOf(size_t argument) const {
    const WorkValue& value = At(argument);
    if (!value.sizes) return std::nullopt;
    if (rule_.work == Work::kPart && argument == 0) return Output().sizes ? Output().bytes : std::nullopt;
    const Amount rows = SizeOf(value, 0);
    if (rule_.work != Work::kRows || argument >= rule_.argument || !rows || *rows == 0) return std::nullopt;
    return Product({ElementsOf(At(rule_.argument)), value.bytes ? Amount(*value.bytes / *rows) : std::nullopt});
  }

  const WorkRule rule_;
  const std::span<const WorkArgument> args_;
};

}  // namespace

Amount Sum(Amount a, Amount b) { return a && b ? CheckedAdd(*a, *b) : std::nullopt; }

Amount Product(std::initializer_list<Amount> factors) {
  Amount product = 1;
  for (const Amount& factor : factors) product = product && factor ? CheckedMultiply(*product, *factor) : std::nullopt;
  return product;
}

Amount ElementsOf(const WorkValue& value) { return value.sizes ? CheckedProduct(1, *value.sizes) : std::nullopt; }

Amount SizeOf(const WorkValue& value, int dim) {
  if (!value.sizes) return std::nullopt;
  const auto dims = static_cast<int64_t>(value.sizes->size());
  const int64_t at = dim < 0 ? dims + dim : dim;
  return at >= 0 && at < dims ? Amount((*value.sizes)[static_cast<size_t>(at)]) : std::nullopt;
}

Amount BytesOf(const WorkValue& value, uint64_t bits_of_element) {
  constexpr uint64_t kBitsOfByte = 8;
  const Amount bits = Product({ElementsOf(value), bits_of_element});
  return bits ? Amount(*bits / kBitsOfByte + (*bits % kBitsOfByte != 0 ? 1 : 0)) : std::nullopt;
}

std::optional<WorkRule> FindRule(std::span<const NamedRule> rules, std::span<const std::string_view> whole,
                                 std::string_view name) {
  const auto row = std::ranges::lower_bound(rules, name, {}, &NamedRule::name);
  if (row != rules.end() && row->name == name) return row->rule;
  return std::ranges::binary_search(whole, name) ? std::optional(WorkRule()) : std::nullopt;
}

OperatorWork MeasureOperator(WorkRule rule, std::span<const WorkArgument> args) {
  if (std::ranges::any_of(args, [](const WorkArgument& arg) { return arg.value->is_unbound; }))
    return {{}, {}, false, kNoBound};
  const WorkReader reader(rule, args);
  OperatorWork work{reader.Macs(), reader.Bytes(), rule.work == Work::kCacheAttention, ""};
  for (const WorkArgument& arg : args) work.is_upper_bound = work.is_upper_bound || arg.value->is_bound;
  if (!work.macs || !work.bytes) work.why_unknown = kUntoldWork;
  return work;
}

}  // namespace pteedit
