#include "user_decoders.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "input_files.h"
#include "json.h"
#include "pteedit/source.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/format.h"
#include "text/text_output.h"

namespace pteedit::cli {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{32} << 20;
// What is larger is left out: systems limit what an environment may hold, Linux to 128 KiB for each variable.
constexpr size_t kMaxSpecBytes = size_t{32} << 10;

Result<std::vector<BlobMetadata>> ReadMetadataFile(const std::string& file) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
  const uint64_t size = source->size();
  if (size > kMaxFileBytes) {
    return Unsupported("has " + std::to_string(size) + " bytes, metadata at most " + std::to_string(kMaxFileBytes))
        .In(file);
  }
  std::string text(static_cast<size_t>(size), '\0');
  if (const Status read = source->Read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}); !read) {
    return read.error();
  }
  Result<std::vector<BlobMetadata>> blobs = ParseDelegateMetadata(text);
  if (!blobs) return std::move(blobs).error().In(file);
  return blobs;
}

Json SpecsJson(const BlobView& view) {
  size_t left = kMaxSpecBytes;
  return ListOf(view.compile_specs, [&](const BlobCompileSpec& spec) {
    Json object;
    object["key"] = spec.key;
    object["bytes"] = spec.value.size;
    object["hex"] = nullptr;
    if (spec.value.size <= left) {
      object["hex"] = HexDigits({reinterpret_cast<const char*>(spec.value.data), spec.value.size});
      left -= spec.value.size;
    }
    return object;
  });
}

// The defaults, with the time that the user wants.
Result<CommandLimits> LimitsOfEnvironment() {
  CommandLimits limits;
  const char* text = std::getenv("PTEEDIT_DECODER_SECONDS");
  if (text == nullptr) return limits;
  constexpr double kMaxSeconds = 1e6;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds > 0) || seconds > kMaxSeconds) {
    return InvalidArgument("PTEEDIT_DECODER_SECONDS is '" + EscapeControl(text) + "', no number of seconds above 0");
  }
  constexpr double kMilliseconds = 1000;
  limits.time = std::chrono::milliseconds(static_cast<int64_t>(std::ceil(seconds * kMilliseconds)));
  return limits;
}

}  // namespace

std::vector<std::string> VariablesFor(const BlobView& view) {
  Json specs = SpecsJson(view);
  MakePrintable(specs);
  return {"PTEEDIT_BACKEND=" + ReplaceControl(view.backend),
          "PTEEDIT_COMPILE_SPECS=" + specs.dump(-1, ' ', true, Json::error_handler_t::replace)};
}

Result<UserDecoders> UserDecoders::Open(const std::vector<std::string>& files,
                                        const std::vector<std::string>& commands) {
  const Result<CommandLimits> limits = LimitsOfEnvironment();
  if (!limits) return limits.error();
  UserDecoders all;
  for (const std::string& file : files) {
    PTEEDIT_TRY(all.AddFile(file));
  }
  std::set<std::string> backends;
  for (const std::string& command : commands) {
    const size_t equals = command.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == command.size()) {
      return InvalidArgument("--decoder takes BACKEND=COMMAND, not '" + EscapeControl(command) + "'");
    }
    const std::string backend = command.substr(0, equals);
    if (!backends.insert(backend).second) {
      return InvalidArgument("--decoder is there twice for backend '" + EscapeControl(backend) + "'");
    }
    all.AddCommand(backend, command.substr(equals + 1), *limits);
  }
  return all;
}

Status UserDecoders::AddFile(const std::string& file) {
  Result<std::vector<BlobMetadata>> blobs = ReadMetadataFile(file);
  if (!blobs) return blobs.error();
  uses_.push_back(std::make_shared<Use>(Use{file}));
  decoders_.push_back([use = uses_.back(), find = MakeMetadataDecoder(*std::move(blobs))](const BlobView& view) {
    Result<std::optional<BlobMetadata>> found = find(view);
    use->is_asked = true;
    use->knows_any = use->knows_any || (found && *found);
    return found;
  });
  return {};
}

void UserDecoders::AddCommand(const std::string& backend, const std::string& command, const CommandLimits& limits) {
  const auto run = [command, limits](const BlobView& view) -> Result<std::optional<BlobMetadata>> {
    PTEEDIT_ASSIGN(const std::string text, RunCommand(command, VariablesFor(view), *view.blob, limits));
    Result<BlobMetadata> blob = ParseBlobMetadata(text);
    if (!blob) return Unsupported("the decoder command's answer is wrong: " + blob.error().message);
    return std::optional(*std::move(blob));
  };
  decoders_.push_back([backend, ask = RememberAnswers(run)](const BlobView& view) {
    return view.backend == backend ? ask(view) : Result<std::optional<BlobMetadata>>(std::optional<BlobMetadata>());
  });
}

std::vector<std::string> UserDecoders::useless_files() const {
  std::vector<std::string> files;
  for (const auto& use : uses_) {
    if (use->is_asked && !use->knows_any) files.push_back(use->file);
  }
  return files;
}

Status WriteMetadataFile(const std::vector<BlobMetadata>& blobs, const std::string& output,
                         const std::vector<std::string>& inputs, bool replace) {
  return WriteTexts({{output, WriteDelegateMetadata(blobs)}}, inputs, replace);
}

}  // namespace pteedit::cli
