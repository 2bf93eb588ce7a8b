// Runs a program and its data files on the real ExecuTorch runtime and prints what comes out, as JSON on one line. See
// kUsage. It is a process of its own because the runtime may crash on a bad file.
#include <executorch/runtime/platform/runtime.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "archive.h"
#include "bundle.h"
#include "session.h"

namespace pterun {
namespace {

using executorch::extension::Module;
using executorch::runtime::Program;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr char kUsage[] = R"usage(pterun: runs a program on the ExecuTorch runtime and prints the SHA-256 of each output
usage: pterun [options] MODEL.pte|MODEL.bpte [DATA.ptd ...]
       pterun --calls FILE [--seed N] [--repeat N] MODEL.etm    out of a map of the archive
  --loader mmap|file            how files are read (mmap)
  --verification minimal|full   how the program is checked (minimal)
  --calls FILE                  the calls to make: [{"method", "inputs": [{...}]}], inputs as in inputs.h
  --method NAME                 without --calls: call only this method (every method)
  --share-arenas                methods share planned memory, and with it shared mutable buffers
  --load-only                   load the program and every method, call none
  --seed N                      added to the seed of each input (0)
  --repeat N                    make the calls N times, each time with other inputs (1)
  --hash-bytes                  of tensors the SHA-256 of their bytes alone, without what tells how to read them
  --etdump FILE                 write what the runtime logs
  --debug-buffer FILE           with --etdump: log values too, and write them
stdout: {"ok":true,"methods":{NAME:[SHA-256 of each output of each call, in order]}}
    or  {"ok":false,"stage":"load|method|set_input|set_output|execute","method":NAME,"error":"NotFound (0x20)"}
exit code: 0 ran, 1 refused by the runtime, 2 usage, 3 input cannot be read; a crash is a signal
)usage";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  SessionOptions session;
  std::string calls_file;
  std::string method;
  bool load_only = false;
  uint64_t seed = 0;
  uint64_t repeat = 1;
};

// Picks the value that belongs to the word `given` for an option.
template <typename T>
T Choose(const std::string& option, const std::string& given, std::string_view first, T if_first,
         std::string_view second, T if_second) {
  if (given == first) return if_first;
  if (given == second) return if_second;
  throw UsageError(option + " is '" + given + "', " + std::string(first) + " or " + std::string(second) + " expected");
}

uint64_t ParseNumber(const std::string& option, const std::string& given) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (error == std::errc() && end == given.data() + given.size()) return number;
  throw UsageError(option + " is '" + given + "', a number expected");
}

void SetOption(Options& options, const std::string& option, const std::string& value) {
  if (option == "--loader") {
    options.session.load_mode = Choose(option, value, "mmap", Module::LoadMode::Mmap, "file", Module::LoadMode::File);
  } else if (option == "--verification") {
    options.session.verification = Choose(option, value, "minimal", Program::Verification::Minimal, "full",
                                          Program::Verification::InternalConsistency);
  } else if (option == "--calls") {
    options.calls_file = value;
  } else if (option == "--method") {
    options.method = value;
  } else if (option == "--seed") {
    options.seed = ParseNumber(option, value);
  } else if (option == "--repeat") {
    options.repeat = ParseNumber(option, value);
  } else if (option == "--etdump") {
    options.session.dump.dump = value;
  } else if (option == "--debug-buffer") {
    options.session.dump.debug_buffer = value;
  } else {
    throw UsageError("unknown option '" + option + "'");
  }
}

Options ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  std::vector<std::string> files;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--share-arenas") {
      options.session.share_arenas = true;
    } else if (arguments[i] == "--load-only") {
      options.load_only = true;
    } else if (arguments[i] == "--hash-bytes") {
      options.session.hash_bytes = true;
    } else if (!arguments[i].starts_with("--")) {
      files.push_back(arguments[i]);
    } else if (i + 1 == arguments.size()) {
      throw UsageError(arguments[i] + " needs a value");
    } else {
      SetOption(options, arguments[i], arguments[i + 1]);
      ++i;
    }
  }
  if (files.empty()) throw UsageError("no program given");
  const DumpOptions& dump = options.session.dump;
  if (dump.dump.empty() && !dump.debug_buffer.empty()) throw UsageError("--debug-buffer is for --etdump");
  options.session.program = files.front();
  options.session.data.assign(files.begin() + 1, files.end());
  return options;
}

json ReadCalls(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  return json::parse(file);
}

// Calls each method (or the one asked for) with inputs after its own description.
json MakeCalls(Session& session, const std::string& only_method) {
  json calls = json::array();
  for (const std::string& method : session.MethodNames()) {
    if (!only_method.empty() && method != only_method) continue;
    calls.push_back({{"method", method}, {"inputs", session.DescribeInputsOf(method)}});
  }
  return calls;
}

// A round's seeds lie far from the next one's, because inputs of one call have neighbouring seeds.
uint64_t SeedOf(const Options& options, uint64_t round) { return options.seed + (round << 32); }

ordered_json RunMapped(const Options& options) {
  const json calls = ReadCalls(options.calls_file);
  std::vector<SeededCall> seeded;
  for (uint64_t round = 0; round < options.repeat; ++round) {
    for (const json& call : calls) seeded.push_back({call, SeedOf(options, round)});
  }
  return {{"ok", true}, {"methods", RunArchive(options.session.program, seeded)}};
}

ordered_json Run(const Options& options) {
  if (options.session.program.ends_with(".etm")) return RunMapped(options);
  SessionOptions session_options = options.session;
  session_options.program = MakeProgramPath(options.session.program);
  Session session(session_options);
  if (options.load_only) {
    for (const std::string& method : session.MethodNames()) session.Load(method);
    session.WriteDump();
    return {{"ok", true}, {"methods", json::object()}};
  }
  const json calls = options.calls_file.empty() ? MakeCalls(session, options.method) : ReadCalls(options.calls_file);
  ordered_json methods = ordered_json::object();
  for (uint64_t round = 0; round < options.repeat; ++round) {
    for (const json& call : calls) {
      const std::string method = call.at("method");
      for (const std::string& digest : session.Call(method, call.at("inputs"), SeedOf(options, round))) {
        methods[method].push_back(digest);
      }
    }
  }
  session.WriteDump();
  return {{"ok", true}, {"methods", methods}};
}

// "NotFound (0x20)": the runtime's own name without its scope, and the number.
std::string NameOf(executorch::runtime::Error error) {
  std::string_view name = executorch::runtime::to_string(error);
  if (const size_t scope = name.rfind(':'); scope != name.npos) name.remove_prefix(scope + 1);
  char number[8];
  std::snprintf(number, sizeof(number), "0x%02x", static_cast<unsigned>(error));
  return std::string(name) + " (" + number + ")";
}

int Main(const std::vector<std::string>& arguments) {
  try {
    executorch::runtime::runtime_init();
    std::cout << Run(ParseOptions(arguments)) << std::endl;
    return 0;
  } catch (const Refused& refused) {
    std::cout << ordered_json{{"ok", false},
                              {"stage", refused.stage},
                              {"method", refused.method},
                              {"error", NameOf(refused.error)}}
              << std::endl;
    return 1;
  } catch (const UsageError& error) {
    std::cerr << "pterun: error: " << error.what() << "\n\n" << kUsage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "pterun: error: " << error.what() << "\n";
    return 3;
  }
}

}  // namespace
}  // namespace pterun

int main(int argc, char** argv) { return pterun::Main({argv + 1, argv + argc}); }
