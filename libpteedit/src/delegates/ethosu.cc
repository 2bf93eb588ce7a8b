#include "delegates/ethosu.h"

#include <algorithm>
#include <string_view>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kHeadBytes = 32;
constexpr size_t kNameBytes = 16;
constexpr uint64_t kEthosUAlignment = 16;
constexpr size_t kMaxBlocks = 64;  // seven are known, and the runtime takes the last of several
constexpr uint8_t kByKey = 1;
constexpr uint64_t kKeyBytes = 64;
constexpr std::string_view kFirst = "vela_bin_stream";
constexpr std::string_view kLast = "vela_end_stream";
constexpr std::string_view kBetween[] = {"cmd_data", "weight_data", "scratch_size", "inputs", "outputs"};
constexpr size_t kShapeDims = 6;
constexpr size_t kArgumentBytes = (kShapeDims + 3) * sizeof(int32_t);
constexpr uint64_t kMaxArgumentsBytes = uint64_t{1} << 16;
constexpr uint64_t kMagicBytes = 4;

struct Block {
  std::string name;
  Extent whole;    // with head and padding
  Extent payload;  // of the key where there is one
  bool by_key = false;
};

Status CheckBlock(const Block& block, uint8_t storage, size_t index, uint64_t blob_size) {
  const std::string where = Text("block ", index, " at ", Hex(block.whole.offset));
  if (index == 0 && block.name != kFirst) {
    return Unsupported(Text(where, " is called ", Quoted(block.name), ", ", Quoted(kFirst), " expected"));
  }
  const bool is_known =
      index == 0 || block.name == kLast || std::ranges::find(kBetween, block.name) != std::end(kBetween);
  if (!is_known)
    return Unsupported(Text(where, " is called ", Quoted(block.name), ", which no release up to 1.5 knows"));
  if (!Fits(block.whole, blob_size)) {
    return Unsupported(Text(where, " has a payload of ", block.payload.size, " bytes, which ends after the blob (",
                            blob_size, " bytes)"));
  }
  if (storage > kByKey) {
    return Unsupported(Text(where, " says it is stored in way ", static_cast<int>(storage), ", 0 or 1 expected"));
  }
  if (block.by_key && block.payload.size != kKeyBytes) {
    return Unsupported(Text(where, " has a key of ", block.payload.size, " bytes, ", kKeyBytes, " expected"));
  }
  return {};
}

Result<Block> ReadBlock(const BlobInput& input, uint64_t offset, size_t index) {
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {offset, kHeadBytes}, kHeadBytes, "head of a block"));
  const char* name = reinterpret_cast<const char*>(head.bytes.data);
  const uint8_t storage = head.bytes.data[kNameBytes + sizeof(uint32_t)];
  Block block;
  block.name.assign(name, std::find(name, name + kNameBytes, '\0'));
  block.payload = {offset + kHeadBytes, Load<uint32_t>(head.bytes.data + kNameBytes)};
  block.whole = {offset, kHeadBytes + AlignUp(block.payload.size, kEthosUAlignment)};
  block.by_key = storage == kByKey;
  PTEEDIT_TRY(CheckBlock(block, storage, index, input.blob.size));
  return block;
}

Result<std::vector<Block>> ReadBlocks(const BlobInput& input) {
  std::vector<Block> blocks;
  uint64_t end = 0;
  while (blocks.empty() || blocks.back().name != kLast) {
    if (blocks.size() == kMaxBlocks) return Unsupported(Text("blob has more than ", kMaxBlocks, " blocks"));
    PTEEDIT_ASSIGN(Block block, ReadBlock(input, end, blocks.size()));
    end = block.whole.offset + block.whole.size;
    blocks.push_back(std::move(block));
  }
  if (end != input.blob.size) {
    return Unsupported(
        Text("block ", Quoted(kLast), " ends at ", Hex(end), ", the blob has ", input.blob.size, " bytes"));
  }
  return blocks;
}

std::string WordsOfArgument(const uint8_t* argument) {
  const auto number = [&](size_t i) { return Load<int32_t>(argument + i * sizeof(int32_t)); };
  std::string words;
  for (size_t i = 0; i < kShapeDims; ++i) words += Text(i == 0 ? "" : "x", number(i));
  return words + Text(", element size ", number(kShapeDims), ", offset ", number(kShapeDims + 1), ", region ",
                      number(kShapeDims + 2));
}

class BlockReader {
 public:
  explicit BlockReader(const BlobInput& input) : input_(input) {}

  Result<DecodedBlob> Read(const std::vector<Block>& blocks) && {
    out_.facts = SpecFacts(input_, {"target", "tosa_spec"});
    for (const Block& block : blocks) {
      out_.parts.push_back({block.name, block.whole});
      std::string key;
      if (block.by_key) {
        PTEEDIT_ASSIGN(key, KeyOf(block));
        out_.keys.push_back(key);
      }
      if (block.name == "weight_data") {
        AddWeights(block, key);
      } else if (!block.by_key) {
        PTEEDIT_TRY(AddFacts(block));
      }
    }
    std::sort(out_.keys.begin(), out_.keys.end());
    out_.keys.erase(std::unique(out_.keys.begin(), out_.keys.end()), out_.keys.end());
    if (inputs_ && outputs_) out_.arguments = *inputs_ + *outputs_;
    return std::move(out_);
  }

 private:
  Result<std::string> KeyOf(const Block& block) const {
    PTEEDIT_ASSIGN(const BlobBytes read, ReadPart(input_, block.payload, kKeyBytes, "key"));
    return std::string(reinterpret_cast<const char*>(read.bytes.data), read.bytes.size);
  }

  void AddWeights(const Block& block, const std::string& key) {
    BlobConstant weights;
    weights.name = block.name;
    weights.key = key;
    if (key.empty()) {
      weights.extent = block.payload;
      weights.bytes = block.payload.size;
    } else if (const std::optional<ContentPlace> place = input_.Find(key)) {
      weights.bytes = place->extent.size;
    }
    if (!key.empty() || block.payload.size != 0) out_.constants.push_back(std::move(weights));
  }

  Status AddFacts(const Block& block) {
    if (block.name == "inputs" || block.name == "outputs") return AddArguments(block);
    if (block.name != "cmd_data" && block.name != "scratch_size") return {};
    if (block.payload.size < kMagicBytes) {
      return Unsupported(Text("block ", Quoted(block.name), " has ", block.payload.size, " bytes, at least ",
                              kMagicBytes, " expected"));
    }
    PTEEDIT_ASSIGN(const BlobBytes read, ReadPart(input_, {block.payload.offset, kMagicBytes}, kMagicBytes, "block"));
    if (block.name == "scratch_size") {
      out_.facts.push_back({kScratchFact, Text(Load<uint32_t>(read.bytes.data))});
      return {};
    }
    const std::string magic(reinterpret_cast<const char*>(read.bytes.data), read.bytes.size);
    if (magic != "COP1" && magic != "COP2") {
      return Unsupported(Text("commands begin with ", Quoted(magic), ", 'COP1' or 'COP2' expected"));
    }
    out_.facts.push_back({"command_stream", magic});
    return {};
  }

  Status AddArguments(const Block& block) {
    PTEEDIT_ASSIGN(const BlobBytes read, ReadPart(input_, block.payload, kMaxArgumentsBytes, "list of arguments"));
    const size_t size = read.bytes.size;
    const int64_t count = size < sizeof(int32_t) ? 0 : Load<int32_t>(read.bytes.data);
    const uint64_t expected = sizeof(int32_t) + static_cast<uint64_t>(std::max<int64_t>(count, 0)) * kArgumentBytes;
    if (count < 0 || size != expected) {
      return Unsupported(Text("block ", Quoted(block.name), " has ", size, " bytes for ", count, " arguments, ",
                              expected, " expected"));
    }
    const std::string name = block.name == "inputs" ? "input_" : "output_";
    const uint8_t* first = read.bytes.data + sizeof(int32_t);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      out_.facts.push_back({Text(name, i), WordsOfArgument(first + i * kArgumentBytes)});
    }
    (block.name == "inputs" ? inputs_ : outputs_) = static_cast<size_t>(count);
    return {};
  }

  const BlobInput& input_;
  DecodedBlob out_;
  std::optional<size_t> inputs_, outputs_;  // how many; nothing where the list is under a key
};

}  // namespace

Result<DecodedBlob> DecodeEthosU(const BlobInput& input) {
  PTEEDIT_ASSIGN(const std::vector<Block> blocks, ReadBlocks(input));
  return BlockReader(input).Read(blocks);
}

Result<bool> HasEthosUKeys(const BlobInput& input) {
  PTEEDIT_ASSIGN(const std::vector<Block> blocks, ReadBlocks(input));
  return std::ranges::any_of(blocks, &Block::by_key);
}

}  // namespace pteedit
