// How a program runs: its instructions, the memory that was planned for it, and methods that only tell values.
#ifndef PTEEDIT_EXECUTION_H_
#define PTEEDIT_EXECUTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

enum class InstructionKind { kNone /* the file has nothing */, kKernel, kDelegate, kMove, kJump, kFree };
PTEEDIT_API const char* NameOf(InstructionKind kind);  // "none", "kernel", …

struct InstructionDescription {
  std::string method;
  uint64_t chain = 0;
  uint64_t index = 0;  // in its chain
  InstructionKind kind = InstructionKind::kNone;
  std::string target;             // operator or delegate; empty for the others
  std::vector<uint32_t> values;   // arguments; of a move from and to, of a jump the condition
  std::optional<uint64_t> jumps;  // to this instruction, where the condition is false
};

struct PlannedTensor {
  uint64_t value = 0;                   // index among the method's values
  uint32_t arena = 0;                   // from 1 on
  uint64_t offset = 0;                  // in the arena
  std::optional<uint64_t> bytes;        // nothing where the element type is unknown
  std::optional<uint64_t> first, last;  // instructions between which its bytes are needed; see MethodMemory
};

struct MethodMemory {
  std::string method;
  std::vector<uint64_t> arenas;  // bytes of each, number 1 first
  uint64_t planned_bytes = 0;    // their sum
  // By arena and offset. Lifetimes are told where a method has one chain without jumps: from the first instruction that
  // names the tensor, or 0 for an input, to the last, or the end for an output. Without them nothing names it.
  std::vector<PlannedTensor> tensors;
  bool has_lifetimes = false;
};

// One of a method's values.
struct MethodValue {
  const char* type = "";               // as ValueDescription::type
  std::string name;                    // of a tensor, fully qualified; mostly empty
  const char* store = "";              // of a tensor, as TensorDescription::store
  std::optional<TensorLayout> layout;  // of a tensor
  std::string text;                    // of others, as ConstantMethod::Value::text
  std::vector<int64_t> items;          // of a list of tensors: values, -1 for none
};

// A method without instructions, whose outputs exporters use to tell facts of a model.
struct ConstantMethod {
  std::string method;
  struct Value {
    const char* type = "";  // as ValueDescription::type
    std::string text;       // "7", "true", "0.5", "text", "1,2"; of a tensor its type: "float32[2]"
  };
  std::vector<Value> values;
};

// The lines of Python that an instruction came from, the innermost last.
struct StackTrace {
  std::string method;
  uint64_t chain = 0;
  uint64_t index = 0;  // of the instruction in its chain
  struct Frame {
    std::string file;
    int64_t line = 0;
    std::string function;
    std::string code;  // the line itself
  };
  std::vector<Frame> frames;
};

// In file order; of a bundle, of the program inside; of a data file nothing.
PTEEDIT_API std::vector<InstructionDescription> DescribeInstructions(const Container& file);
PTEEDIT_API std::vector<MethodMemory> DescribeMemory(const Container& file);
PTEEDIT_API std::vector<ConstantMethod> DescribeConstantMethods(const Container& file);
// How many values a method has, and one of them: what a list of all would take many times is asked for one by one.
// Methods count in file order, as those of Describe(); where there is no such method or value, 0 and nothing.
PTEEDIT_API uint64_t CountValues(const Container& file, size_t method);
PTEEDIT_API std::optional<MethodValue> DescribeValue(const Container& file, size_t method, uint64_t value);
// Those that are there. Fails with kUnsupported where shared ones would list more than the file's limits allow.
PTEEDIT_API Result<std::vector<StackTrace>> DescribeStackTraces(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_EXECUTION_H_
