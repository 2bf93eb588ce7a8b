// The input values of a call, made from descriptions or, without one, from what the method says about its inputs.
// Values depend on the seed only, and on nothing of the machine.
#ifndef PTERUN_INPUTS_H_
#define PTERUN_INPUTS_H_

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_meta.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace pterun {

struct Inputs {
  std::vector<executorch::runtime::EValue> values;
  std::vector<executorch::extension::TensorPtr> tensors;  // own the memory that tensor values point to
};

// Makes one input for each of `descriptions`. A description is one of
//   {"shape", "dtype", "seed"}                  normally distributed numbers (booleans: either)
//   {"shape", "dtype", "seed", "low", "high"}   whole numbers of [low, high)
//   {"value", "dtype"}                          a tensor written out: a number, or nested lists of numbers
//   {"int"} {"float"} {"bool"}                  a scalar
// A tensor takes the method's dim order. `seed` is added to the descriptions' own. Throws std::runtime_error where a
// description makes no sense, or nlohmann::json::exception where it is none.
Inputs MakeInputs(const nlohmann::json& descriptions, const executorch::runtime::MethodMeta& method, uint64_t seed);

// Describes inputs that every method takes: as large as they may get, integers of {0, 1}.
nlohmann::json DescribeInputs(const executorch::runtime::MethodMeta& method);

}  // namespace pterun

#endif  // PTERUN_INPUTS_H_
