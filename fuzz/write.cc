// What a tool does with its plans: a file is opened at its path, rewritten as a folder or as files, and what stands
// there is the plan or what stood there before. The second file, if there is one, is a data file of the first.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "files.h"
#include "fuzz_input.h"
#include "options.h"
#include "pteedit/planned_file.h"
#include "pteedit/program_set.h"
#include "pteedit/shards.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "temporary_folder.h"

using namespace pteedit;
using fuzz::Promise;
using fuzz::PromiseResult;
using fuzz::TextOf;
using test::TemporaryFolder;

namespace {

constexpr uint64_t kShardStep = 256;

// Option byte 1 cuts the data file into shards.
std::vector<Output> PlanOutputs(const ProgramSet& set, const fuzz::OptionBytes& bytes) {
  std::vector<Output> outputs;
  SplitOptions options;
  options.min_alignment = fuzz::AlignmentFrom(bytes[3]);
  if (bytes[1] != 0) options.max_shard_bytes = bytes[1] * kShardStep;
  if (const Result<SplitResult> split = SplitProgram(set, options)) {
    for (size_t i = 0; i < split->data.size(); ++i)
      outputs.push_back({ShardName("data.ptd", i, split->data.size()), split->data[i]});
    outputs.push_back({"out.pte", split->program});
  } else if (const Result<StripResult> stripped = Strip(set.file(), fuzz::StripOptionsFrom({0, bytes[3], 0, 0}))) {
    outputs.push_back({"out.pte", stripped->file});
  }
  return outputs;
}

size_t CountIn(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

class Writing {
 public:
  Writing(const TemporaryFolder& folder, std::vector<Output> outputs, std::vector<std::string> inputs,
          const fuzz::OptionBytes& bytes)
      : in_folder_((bytes[0] & 1) != 0), to_(folder / "out"), outputs_(std::move(outputs)), inputs_(std::move(inputs)) {
    options_.hash = (bytes[0] & 2) != 0;
    stops_ = (bytes[0] & 4) != 0;
    if (!in_folder_) std::filesystem::create_directory(to_);
  }

  void Check() {
    if (stops_) CheckStopped();
    CheckWritten(Write());
    const Result<std::vector<WrittenFile>> again = Write();
    Promise(!again && again.error().code == ErrorCode::kExists, "what is there is not replaced unasked");
    options_.replace = true;
    if (stops_) CheckStopped();
    CheckWritten(Write());
    CheckRefused();
  }

 private:
  Result<std::vector<WrittenFile>> Write() const {
    return in_folder_ ? WriteFolder(to_, outputs_, inputs_, options_) : WriteFiles(AtPaths(), inputs_, options_);
  }

  std::string PathOf(const Output& output) const { return to_ + "/" + output.path; }

  std::vector<Output> AtPaths() const {
    std::vector<Output> outputs = outputs_;
    for (Output& output : outputs) output.path = PathOf(output);
    return outputs;
  }

  void CheckWritten(const Result<std::vector<WrittenFile>>& written) const {
    PromiseResult(written, "what was planned can be written:");
    Promise(written->size() == outputs_.size(), "all files were written");
    Promise(CountIn(to_) == outputs_.size(), "and nothing else");
    for (size_t i = 0; i < outputs_.size(); ++i) {
      Promise(TextOf(PathOf(outputs_[i])) == TextOf(*outputs_[i].file.AsSource("plan")),
              "what was written is its plan");
      Promise((*written)[i].sha256.size() == (options_.hash ? 64 : 0), "it is hashed where that was asked for");
    }
  }

  // Leaves what is there as it is, and nothing beside it.
  void CheckStopped() {
    const bool is_there = std::filesystem::exists(to_);
    const size_t before = is_there ? CountIn(to_) : 0;
    options_.progress = [](uint64_t done, uint64_t total) { return done < total / 2; };
    const Result<std::vector<WrittenFile>> stopped = Write();
    options_.progress = nullptr;
    Promise(!stopped, "writing that is stopped fails");
    Promise(std::filesystem::exists(to_) == is_there, "no folder is left where writing stopped");
    Promise(!is_there || CountIn(to_) == before, "no file is left where writing stopped");
  }

  // An output that is an input.
  void CheckRefused() const {
    const std::string before = TextOf(inputs_.front());
    const auto written = WriteFiles({{inputs_.front(), outputs_.front().file}}, inputs_, options_);
    Promise(!written && written.error().code == ErrorCode::kInvalidArgument, "an input is never an output");
    Promise(TextOf(inputs_.front()) == before, "an input is never changed");
  }

  bool in_folder_ = false, stops_ = false;
  std::string to_;
  std::vector<Output> outputs_;
  std::vector<std::string> inputs_;
  WriteOptions options_;
};

// As with "-" for a path: what comes out of a descriptor is what went in, from where the descriptor was.
void CheckDescriptors(const TemporaryFolder& folder, const Output& output, const std::string& input) {
  const int in = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  const auto source = OpenDescriptorSource(in, "-", folder / ".");
  PromiseResult(source, "an open file can be read:");
  Promise(TextOf(**source) == TextOf(input), "as it is");
  close(in);
  const int out = open((folder / "stream").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  PromiseResult(WriteFiles({{"-", output.file, out}}, {input}, {}), "a descriptor can be written to:");
  close(out);
  Promise(TextOf(folder / "stream") == TextOf(*output.file.AsSource("plan")), "and gets what was planned");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const ByteSpan file : input.files) {
    paths.push_back(folder / ("in" + std::to_string(paths.size())));
    fuzz::WriteText(paths.back(), {reinterpret_cast<const char*>(file.data), file.size});
  }
  const auto sources = OpenFileSources(paths);
  PromiseResult(sources, "files can be opened:");
  std::vector<Container> files;
  for (const std::shared_ptr<const Source>& source : *sources) {
    Result<Container> file = Container::Open(source);
    if (!file || (!files.empty() && file->kind() != FileKind::kData)) return 0;
    files.push_back(*std::move(file));
  }
  if (files.empty()) return 0;
  std::vector<Output> outputs = PlanOutputs({files.front(), {files.begin() + 1, files.end()}}, input.options);
  if (outputs.empty()) return 0;
  CheckDescriptors(folder, outputs.front(), paths.front());
  Writing(folder, std::move(outputs), paths, input.options).Check();
  return 0;
}
