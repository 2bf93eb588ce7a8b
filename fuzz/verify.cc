// pteinspect --verify, with option bit 2 also --adapter, and that a file without errors can be described and rewritten.
#include "pteedit/verify.h"

#include "fuzz_input.h"
#include "pteedit/mended.h"
#include "verify_promises.h"

using namespace pteedit;

namespace {

// Copies, each exactly as long as its file, so that a sanitizer sees a read behind it. Where the name says nothing,
// option bit 1, a file of unknown content is refused.
fuzz::Sources SourcesFrom(const fuzz::FuzzInput& input) {
  const bool named = (input.options[0] & 1) == 0;
  fuzz::Sources sources;
  for (const ByteSpan file : input.files) {
    std::vector<uint8_t> bytes(file.data, file.data + file.size);
    const char* name = !named ? "file" : sources.empty() ? "program.pte" : "data.ptd";
    sources.push_back(MakeMemorySource(name, std::move(bytes)));
  }
  return sources;
}

// With --target, for the oldest and a newer release.
void TellBehaviour(const std::vector<FileFindings>& found) {
  for (const char* release : {"executorch-0.2", "executorch-1.2"}) {
    const Result<Target> target = FindTarget(release);
    fuzz::PromiseResult(target, "a release can be told:");
    for (const FileFindings& file : found) {
      for (const Finding& finding : file.findings) BehaviourOf(*target, finding);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  fuzz::Sources data = SourcesFrom(input);
  if (data.empty()) return 0;
  const std::shared_ptr<const Source> program = data.front();
  data.erase(data.begin());
  const Result<std::vector<FileFindings>> found = Verify(program, data);
  if ((input.options[0] & 2) != 0 && !data.empty()) {
    const Result<FileFindings> adapter = VerifyAdapter(program, data.front());
    if (!adapter) fuzz::Promise(adapter.error().code != ErrorCode::kIo, "bytes in memory can be read");
  }
  if (found) {
    TellBehaviour(*found);
    fuzz::CheckFindings(*found, program, data);
  } else {
    fuzz::CheckFailure(found.error(), program, data);
  }
  return 0;
}
