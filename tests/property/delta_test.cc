// What a delta gives of an old release is the new one, whatever both are.
#include "pteedit/package/delta.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "any_files.h"
#include "choices.h"
#include "noise.h"
#include "package/delta_packer.h"
#include "package/zstd_frames.h"
#include "releases.h"

namespace pteedit::test::delta_test {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kMostBytes = 200'000;  // some chunks

// Noise, text, or much of the same.
Bytes AnyBytes(Choices& choices) {
  const size_t size = choices.Rarely(3) ? choices.Below(50) : choices.Below(60'000) * (1 + choices.Below(3));
  const uint32_t kind = choices.Below(4);
  if (kind == 0) return Bytes(size, static_cast<uint8_t>(choices.Below(256)));
  Bytes bytes = Noise(size, choices.Below(5));
  if (kind == 1) std::for_each(bytes.begin(), bytes.end(), [](uint8_t& byte) { byte = 'a' + byte % 4; });
  return bytes;
}

// What became of them: bytes changed, put in, taken out, moved, or taken from another file.
Bytes Edited(Bytes bytes, const std::vector<Bytes>& others, Choices& choices) {
  const uint32_t edits = choices.Below(6);
  for (uint32_t i = 0; i < edits; ++i) {
    const size_t at = choices.Below(static_cast<uint32_t>(bytes.size()) + 1);
    const size_t size = std::min<size_t>(bytes.size() - at, choices.Below(40'000));
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at), end = begin + static_cast<ptrdiff_t>(size);
    const uint32_t what = choices.Below(5);
    if (what == 0 && at < bytes.size()) {
      *begin = static_cast<uint8_t>(*begin ^ 1);
    } else if (what == 1) {
      const Bytes more = AnyBytes(choices);
      bytes.insert(begin, more.begin(), more.end());
    } else if (what == 2) {
      bytes.erase(begin, end);
    } else if (what == 3) {
      std::rotate(begin, end, bytes.end());
    } else {
      const Bytes& other = choices.OneOf(others);
      bytes.insert(begin, other.begin(), other.end());
    }
    if (bytes.size() > kMostBytes) bytes.resize(kMostBytes);
  }
  return bytes;
}

Tape AnyTape() {
  constexpr int kChoices = 60;
  return *rc::gen::resize(kChoices,
                          rc::gen::container<Tape>(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint16_t>())))
              .as("tape of choices");
}

std::shared_ptr<const Source> View(const Bytes& bytes) { return MakeViewSource("view", {bytes.data(), bytes.size()}); }

void Append(const Source& source, Extent extent, Bytes& bytes) {
  Bytes part(extent.size);
  RC_ASSERT(source.Read(extent.offset, {part.data(), part.size()}).has_value());
  bytes.insert(bytes.end(), part.begin(), part.end());
}

// What the steps say, read without the code that applies deltas.
Bytes Follow(const std::vector<PackedStep>& steps, const OldContents& old, const Bytes& packed) {
  Bytes made;
  for (const PackedStep& step : steps) {
    if (step.copy) {
      Append(*old.file(step.copy->file), step.copy->extent, made);
    } else if (!step.is_frames) {
      Append(*View(packed), step.packed, made);
    } else {
      Bytes dictionary;
      if (step.dictionary) Append(*old.file(step.dictionary->file), step.dictionary->extent, dictionary);
      const auto use = [&](ByteSpan piece) {
        made.insert(made.end(), piece.data, piece.data + piece.size);
        return Status();
      };
      const Status status =
          DecompressFrames(*View(packed), step.packed, {dictionary.data(), dictionary.size()}, step.bytes, use);
      RC_ASSERT(status.has_value());
    }
  }
  return made;
}

RC_GTEST_PROP(Deltas, GiveAnyNewFileByteForByte, ()) {
  const Tape tape = AnyTape();
  Choices choices(tape);
  std::vector<Bytes> files;
  for (uint32_t i = 0; i < 2; ++i) files.push_back(AnyBytes(choices));
  const Bytes now = Edited(files[0], files, choices);
  OldContents old;
  for (const Bytes& file : files) RC_ASSERT(old.Add(View(file)).has_value());
  const std::vector<Region> regions = RegionsOf(View(now)).value();
  const std::vector<FoundCopy> copies = old.FindCopies(*View(now), regions).value();
  std::optional<size_t> counterpart;
  if (choices.Below(2) == 1) counterpart = choices.Below(2);
  const std::vector<DeltaPiece> pieces = CutPieces(old, now.size(), regions, copies, counterpart);
  Bytes packed;
  const std::vector<PackedStep> steps = PackPieces(old, *View(now), pieces, {1, 1}, [&](ByteSpan piece) {
                                          packed.insert(packed.end(), piece.data, piece.data + piece.size);
                                          return Status();
                                        }).value();
  RC_ASSERT(Follow(steps, old, packed) == now);
  RC_ASSERT(packed.size() <= now.size());
}

// The whole way through folders, for fewer releases since each has to reach the disk.
TEST(Deltas, GiveAnyReleaseByteForByteAndAreTheSameEachTime) {
  constexpr uint32_t kReleases = 40;
  for (uint32_t seed = 0; seed < kReleases; ++seed) {
    SCOPED_TRACE(seed);
    const Bytes noise = Noise(200, seed);
    Tape tape;
    for (size_t i = 0; i + 1 < noise.size(); i += 2)
      tape.push_back(static_cast<uint16_t>(noise[i] << 8 | noise[i + 1]));
    Choices choices(tape);
    std::vector<Bytes> files;
    for (uint32_t i = 0; i < 4; ++i) files.push_back(AnyBytes(choices));
    std::vector<Bytes> now;
    for (const Bytes& file : files) now.push_back(Edited(file, files, choices));
    const TemporaryFolder folder;
    MakeRelease(folder / "old", {{"a", files[0], {files[1]}}, {"b", files[2], {files[3]}}});
    MakeRelease(folder / "new", {{"a", now[0], {now[1]}}, {"c", now[2], {now[3]}}});
    DeltaOptions options;
    options.level = 3;
    ASSERT_TRUE(CreateDelta(folder / "old", folder / "new", folder / "delta", options));
    options.threads = 3;
    ASSERT_TRUE(CreateDelta(folder / "old", folder / "new", folder / "again", options));
    EXPECT_EQ(FolderContents(folder / "delta"), FolderContents(folder / "again"));
    const Result<ApplyReport> applied = ApplyDelta(folder / "delta", folder / "old", folder / "made", {});
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(FolderContents(folder / "made"), FolderContents(folder / "new"));
  }
}

}  // namespace
}  // namespace pteedit::test::delta_test
