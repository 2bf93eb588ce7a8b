#include "inputs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pterun {
namespace {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::extension::make_tensor_ptr;
using executorch::extension::TensorPtr;
using executorch::runtime::EValue;
using executorch::runtime::MethodMeta;
using executorch::runtime::Tag;
using executorch::runtime::TensorInfo;
using nlohmann::json;

struct Dtype {
  std::string_view name;  // as in Python
  ScalarType type;
};
constexpr std::array kDtypes = {
    Dtype{"uint8", ScalarType::Byte},       Dtype{"int8", ScalarType::Char},      Dtype{"int16", ScalarType::Short},
    Dtype{"int32", ScalarType::Int},        Dtype{"int64", ScalarType::Long},     Dtype{"float16", ScalarType::Half},
    Dtype{"float32", ScalarType::Float},    Dtype{"float64", ScalarType::Double}, Dtype{"bool", ScalarType::Bool},
    Dtype{"uint16", ScalarType::UInt16},    Dtype{"uint32", ScalarType::UInt32},  Dtype{"uint64", ScalarType::UInt64},
    Dtype{"bfloat16", ScalarType::BFloat16}};

ScalarType FindDtype(const std::string& name) {
  const auto found = std::ranges::find(kDtypes, name, &Dtype::name);
  if (found == kDtypes.end()) throw std::runtime_error("dtype '" + name + "' is not known");
  return found->type;
}

std::string NameOf(ScalarType type) {
  const auto found = std::ranges::find(kDtypes, type, &Dtype::type);
  if (found == kDtypes.end()) throw std::runtime_error("dtype of an input is not one that can be made");
  return std::string(found->name);
}

bool IsFloating(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16 || type == ScalarType::Float ||
         type == ScalarType::Double;
}

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // The sum of twelve uniform numbers has variance 1 and needs no math library.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return sum;
  }

 private:
  uint64_t state_;
};

template <typename T>
void Store(T number, uint8_t* to) {
  std::memcpy(to, &number, sizeof(number));
}

// Numbers above 2^53 are not written exactly.
void StoreAs(ScalarType type, double number, uint8_t* to) {
  switch (type) {
    case ScalarType::Byte:
      return Store(static_cast<uint8_t>(number), to);
    case ScalarType::Char:
      return Store(static_cast<int8_t>(number), to);
    case ScalarType::Short:
      return Store(static_cast<int16_t>(number), to);
    case ScalarType::Int:
      return Store(static_cast<int32_t>(number), to);
    case ScalarType::Long:
      return Store(static_cast<int64_t>(number), to);
    case ScalarType::Half:
      return Store(executorch::aten::Half(static_cast<float>(number)), to);
    case ScalarType::Float:
      return Store(static_cast<float>(number), to);
    case ScalarType::Double:
      return Store(number, to);
    case ScalarType::Bool:
      return Store(static_cast<uint8_t>(number != 0), to);
    case ScalarType::BFloat16:
      return Store(executorch::aten::BFloat16(static_cast<float>(number)), to);
    case ScalarType::UInt16:
      return Store(static_cast<uint16_t>(number), to);
    case ScalarType::UInt32:
      return Store(static_cast<uint32_t>(number), to);
    case ScalarType::UInt64:
      return Store(static_cast<uint64_t>(number), to);
    default:
      throw std::runtime_error("dtype of an input is not one that can be made");
  }
}

std::vector<double> DrawNumbers(const json& description, ScalarType type, size_t count, uint64_t seed) {
  Random random(description.at("seed").get<uint64_t>() + seed);
  std::vector<double> numbers(count);
  if (IsFloating(type)) {
    for (double& number : numbers) number = random.Normal();
    return numbers;
  }
  const bool is_bool = type == ScalarType::Bool;
  const int64_t low = is_bool ? 0 : description.at("low").get<int64_t>();
  const int64_t high = is_bool ? 2 : description.at("high").get<int64_t>();
  if (high <= low) throw std::runtime_error("range of an input is empty");
  for (double& number : numbers) {
    number = static_cast<double>(low + static_cast<int64_t>(random.Next() % static_cast<uint64_t>(high - low)));
  }
  return numbers;
}

// Flattens nested lists; all lists of one depth have the first one's length.
void Flatten(const json& value, size_t depth, std::vector<SizesType>& shape, std::vector<double>& numbers) {
  if (!value.is_array()) {
    if (depth != shape.size()) throw std::runtime_error("written-out value is ragged");
    numbers.push_back(value.is_boolean() ? value.get<bool>() : value.get<double>());
    return;
  }
  if (depth == shape.size() && numbers.empty()) shape.push_back(static_cast<SizesType>(value.size()));
  if (depth >= shape.size() || shape[depth] != static_cast<SizesType>(value.size())) {
    throw std::runtime_error("written-out value is ragged");
  }
  for (const json& element : value) Flatten(element, depth + 1, shape, numbers);
}

size_t CountElements(const std::vector<SizesType>& shape) {
  size_t count = 1;
  for (const SizesType size : shape) {
    if (size < 0) throw std::runtime_error("size of an input is negative");
    count *= static_cast<size_t>(size);
  }
  return count;
}

std::vector<DimOrderType> DimOrderOf(const MethodMeta& method, size_t index, size_t rank) {
  const auto about = method.input_tensor_meta(index);
  if (!about.ok() || about->dim_order().size() != rank) return {};  // let the runtime say what is wrong
  return {about->dim_order().begin(), about->dim_order().end()};
}

TensorPtr MakeTensor(const json& description, const MethodMeta& method, size_t index, uint64_t seed) {
  const ScalarType type = FindDtype(description.at("dtype").get<std::string>());
  std::vector<SizesType> shape;
  std::vector<double> numbers;
  if (description.contains("value")) {
    Flatten(description["value"], 0, shape, numbers);
  } else {
    shape = description.at("shape").get<std::vector<SizesType>>();
    numbers = DrawNumbers(description, type, CountElements(shape), seed);
  }
  const size_t width = executorch::runtime::elementSize(type);
  std::vector<uint8_t> bytes(numbers.size() * width);
  for (size_t i = 0; i < numbers.size(); ++i) StoreAs(type, numbers[i], bytes.data() + i * width);
  std::vector<DimOrderType> dim_order = DimOrderOf(method, index, shape.size());
  return make_tensor_ptr(std::move(shape), std::move(bytes), std::move(dim_order), {}, type);
}

json DescribeTensor(const TensorInfo& tensor, size_t seed) {
  const std::vector<SizesType> shape(tensor.sizes().begin(), tensor.sizes().end());
  return {{"shape", shape}, {"dtype", NameOf(tensor.scalar_type())}, {"seed", seed}, {"low", 0}, {"high", 2}};
}

json DescribeInput(const MethodMeta& method, size_t index) {
  const auto tag = method.input_tag(index);
  if (!tag.ok()) throw std::runtime_error("input " + std::to_string(index) + " is of no known kind");
  switch (*tag) {
    case Tag::Tensor:
      return DescribeTensor(method.input_tensor_meta(index).get(), index + 1);
    case Tag::Int:
      return {{"int", 1}};
    case Tag::Double:
      return {{"float", 1.0}};
    case Tag::Bool:
      return {{"bool", true}};
    default:
      throw std::runtime_error("input " + std::to_string(index) + " is of a kind that needs a description");
  }
}

}  // namespace

Inputs MakeInputs(const json& descriptions, const MethodMeta& method, uint64_t seed) {
  Inputs inputs;
  for (const json& description : descriptions) {
    if (description.contains("int")) {
      inputs.values.emplace_back(description["int"].get<int64_t>());
    } else if (description.contains("float")) {
      inputs.values.emplace_back(description["float"].get<double>());
    } else if (description.contains("bool")) {
      inputs.values.emplace_back(description["bool"].get<bool>());
    } else {
      inputs.tensors.push_back(MakeTensor(description, method, inputs.values.size(), seed));
      inputs.values.emplace_back(*inputs.tensors.back());
    }
  }
  return inputs;
}

json DescribeInputs(const MethodMeta& method) {
  json descriptions = json::array();
  for (size_t index = 0; index < method.num_inputs(); ++index) descriptions.push_back(DescribeInput(method, index));
  return descriptions;
}

}  // namespace pterun
