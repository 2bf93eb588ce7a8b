// One program, loaded into the real runtime and called. What the runtime refuses is thrown as Refused; what it does not
// survive kills the process.
#ifndef PTERUN_SESSION_H_
#define PTERUN_SESSION_H_

#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/error.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dump.h"
#include "inputs.h"

namespace pterun {

struct Refused {
  std::string stage;   // load, method, set_input, set_output or execute
  std::string method;  // empty while loading the program
  executorch::runtime::Error error;
};

struct SessionOptions {
  std::string program;  // path of a .pte
  std::vector<std::string> data;
  executorch::extension::Module::LoadMode load_mode = executorch::extension::Module::LoadMode::Mmap;
  executorch::runtime::Program::Verification verification = executorch::runtime::Program::Verification::Minimal;
  bool share_arenas = false;  // methods share planned memory, so that shared mutable buffers are shared
  bool hash_bytes = false;    // of tensors the bytes alone
  DumpOptions dump;
};

class Session {
 public:
  // Loads the program. Throws Refused.
  explicit Session(const SessionOptions& options);

  // Names of the program's methods, sorted.
  std::vector<std::string> MethodNames();

  // Loads the method, nothing more. Throws Refused.
  void Load(const std::string& method);

  // Describes inputs that the method takes. Throws Refused.
  nlohmann::json DescribeInputsOf(const std::string& method);

  // Calls the method once and returns the digests of its outputs. The state of mutable buffers stays for the next
  // call. Throws Refused.
  std::vector<std::string> Call(const std::string& method, const nlohmann::json& inputs, uint64_t seed);

  // Writes what was logged, where that was asked for; once, at the end. Throws std::runtime_error.
  void WriteDump();

 private:
  executorch::runtime::MethodMeta LoadMethod(const std::string& method);
  void ProvideOutputs(const std::string& method, const executorch::runtime::MethodMeta& about);

  bool hash_bytes_;
  Dump dump_;  // outlives the module, whose tracer it serves
  executorch::extension::Module module_;
  std::map<std::string, std::vector<std::vector<uint8_t>>> output_memory_;  // by method, where the plan gives none
};

}  // namespace pterun

#endif  // PTERUN_SESSION_H_
