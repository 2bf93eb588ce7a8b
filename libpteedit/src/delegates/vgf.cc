#include "delegates/vgf.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "delegates/compile_specs.h"
#include "delegates/graph_reader.h"
#include "delegates/spirv.h"
#include "delegates/vgf_schema.h"
#include "formats/flat_tables.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using namespace schema::vgf;  // NOLINT: the blob's tables

constexpr uint64_t kHeaderLength = 128;
constexpr uint8_t kMaxMinor = 5;  // of the format 0.x
constexpr std::string_view kConstantsMagic("CONST00\0", 8);

struct Header {
  std::string version;
  uint16_t vulkan_headers = 0;
  Extent modules, sequence, resources, constants;

  // As they follow each other in the blob.
  std::vector<BlobPart> Sections() const {
    std::vector<BlobPart> sections = {
        {"modules", modules}, {"model sequence", sequence}, {"resources", resources}, {"constants", constants}};
    std::stable_sort(sections.begin(), sections.end(), [](const BlobPart& a, const BlobPart& b) {
      return std::pair(a.extent.offset, a.extent.size) < std::pair(b.extent.offset, b.extent.size);
    });
    return sections;
  }
};

Status CheckSections(const Header& header, uint64_t blob_size) {
  uint64_t end = kHeaderLength;
  for (const BlobPart& section : header.Sections()) {
    if (!Fits(section.extent, blob_size)) {
      return Unsupported(Text("VGF section '", section.name, "' of ", Words(section.extent),
                              " is not inside the processed blob (", blob_size, " bytes)"));
    }
    if (section.extent.size == 0) continue;
    if (section.extent.offset < end) {
      return Unsupported(Text("VGF section '", section.name, "' of ", Words(section.extent),
                              " begins before the end of what is in front of it, ", Hex(end)));
    }
    end = section.extent.offset + section.extent.size;
  }
  return {};
}

Result<Header> ReadHeader(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {0, kHeaderLength}, kHeaderLength, "VGF header"));
  const uint8_t* bytes = head.bytes.data;
  if (std::memcmp(bytes, "VGF1", 4) != 0) return Unsupported("VGF header does not begin with 'VGF1'");
  const auto section = [&](size_t at) { return Extent{Load<uint64_t>(bytes + at), Load<uint64_t>(bytes + at + 8)}; };
  Header header{Text(int{bytes[8]}, ".", int{bytes[9]}, ".", int{bytes[10]}),
                Load<uint16_t>(bytes + 4),
                section(16),
                section(32),
                section(48),
                section(64)};
  if (bytes[8] != 0 || bytes[9] > kMaxMinor) {
    return Unsupported(Text("VGF header has version ", header.version, ", 0.x up to 0.", int{kMaxMinor}, " expected"));
  }
  PTEEDIT_TRY(CheckSections(header, input.blob.size));
  return header;
}

// The formats that tensors have, of Vulkan's VkFormat.
std::string FormatName(uint32_t format) {
  static constexpr std::pair<uint32_t, const char*> kFormats[] = {
      {9, "R8_UNORM"},    {10, "R8_SNORM"},  {13, "R8_UINT"},     {14, "R8_SINT"},
      {70, "R16_UNORM"},  {71, "R16_SNORM"}, {74, "R16_UINT"},    {75, "R16_SINT"},
      {76, "R16_SFLOAT"}, {98, "R32_UINT"},  {99, "R32_SINT"},    {100, "R32_SFLOAT"},
      {110, "R64_UINT"},  {111, "R64_SINT"}, {112, "R64_SFLOAT"}, {1000460000, "R8_BOOL_ARM"}};
  for (const auto& [number, name] : kFormats) {
    if (number == format) return Text("VK_FORMAT_", name);
  }
  return Text("VkFormat ", format);
}

Result<std::vector<SpirVModule>> ReadModules(const BlobInput& input, const Header& header, Unfolding& unfolding) {
  constexpr const char* kWhat = "VGF module table";
  PTEEDIT_ASSIGN(const BlobBytes bytes, ReadPart(input, header.modules, kMaxGraphBytes, kWhat));
  PTEEDIT_ASSIGN(const ModuleTable* table, SoundRoot<ModuleTable>(bytes.bytes, kWhat));
  std::vector<SpirVModule> modules;
  for (const Module* module : OrEmpty(table->modules())) {
    const SPIRV* code = module->code_as_SPIRV();
    if (code == nullptr) continue;
    const auto& words = OrEmpty(code->words());
    // Many modules may refer to the same words.
    if (!unfolding.Take(uint64_t{words.size()} * sizeof(uint32_t))) break;
    PTEEDIT_ASSIGN(SpirVModule spirv, ReadSpirV({reinterpret_cast<const uint32_t*>(words.data()), words.size()}));
    modules.push_back(std::move(spirv));
  }
  return modules;
}

class BlobReader {
 public:
  BlobReader(const BlobInput& input, Header header)
      : input_(input),
        header_(std::move(header)),
        unfolding_(header_.modules.size + header_.sequence.size + header_.resources.size) {}

  Result<DecodedBlob> Read() {
    out_.facts = {{"vgf_version", header_.version}, {"vk_header_version", Text(header_.vulkan_headers)}};
    for (BlobFact& fact : SpecFacts(input_, {"tosa_spec"})) out_.facts.push_back(std::move(fact));
    PTEEDIT_TRY(AddModules());
    PTEEDIT_TRY(ReadSequence());
    PTEEDIT_TRY(ReadConstants());
    PTEEDIT_TRY(unfolding_.Check("VGF tables"));
    std::vector<BlobPart> parts = header_.Sections();
    parts.insert(parts.begin(), {"header", {0, kHeaderLength}});
    out_.parts = FillGaps(parts, input_.blob.size);
    return std::move(out_);
  }

 private:
  Status AddModules() {
    PTEEDIT_ASSIGN(const std::vector<SpirVModule> modules, ReadModules(input_, header_, unfolding_));
    for (const SpirVModule& module : modules) {
      out_.operators.insert(out_.operators.end(), module.operators.begin(), module.operators.end());
      for (const std::string& extension : module.extensions) AddVulkanExtension(extension);
    }
    if (!vulkan_extensions_.empty()) out_.facts.push_back({"vulkan_extensions", Joined(vulkan_extensions_, "+")});
    return {};
  }

  // That of Vulkan which lets a module declare it; none for what every device of today has.
  void AddVulkanExtension(const std::string& spirv) {
    static constexpr std::pair<std::string_view, const char*> kExtensions[] = {
        {"SPV_ARM_graph", "VK_ARM_data_graph"},
        {"SPV_ARM_tensors", "VK_ARM_tensors"},
        {"SPV_EXT_replicated_composites", "VK_EXT_shader_replicated_composites"}};
    for (const auto& [asked, offered] : kExtensions) {
      if (asked == spirv) vulkan_extensions_.insert(offered);
    }
  }

  Status ReadSequence() {
    constexpr const char* kWhat = "VGF model sequence";
    PTEEDIT_ASSIGN(const BlobBytes bytes, ReadPart(input_, header_.sequence, kMaxGraphBytes, kWhat));
    PTEEDIT_ASSIGN(const ModelSequenceTable* table, SoundRoot<ModelSequenceTable>(bytes.bytes, kWhat));
    out_.arguments = size_t{OrEmpty(table->inputs()).size()} + OrEmpty(table->outputs()).size();
    return {};
  }

  Status ReadConstants() {
    constexpr const char* kWhat = "VGF resource table";
    PTEEDIT_ASSIGN(const BlobBytes bytes, ReadPart(input_, header_.resources, kMaxGraphBytes, kWhat));
    PTEEDIT_ASSIGN(const ModelResourceTable* table, SoundRoot<ModelResourceTable>(bytes.bytes, kWhat));
    const Extent section = header_.constants;
    if (section.size < kConstantsMagic.size()) return {};
    PTEEDIT_ASSIGN(const BlobBytes magic,
                   ReadPart(input_, {section.offset, kConstantsMagic.size()}, kConstantsMagic.size(), "VGF constants"));
    const bool is_list = std::memcmp(magic.bytes.data, kConstantsMagic.data(), kConstantsMagic.size()) == 0;
    return is_list ? ReadConstantList(*table) : ReadConstantTable(*table);
  }

  Status ReadConstantList(const ModelResourceTable& resources) {
    constexpr uint64_t kHeadBytes = 16, kEntryBytes = 24;
    const Extent section = header_.constants;
    PTEEDIT_ASSIGN(const BlobBytes head,
                   ReadPart(input_, {section.offset, kHeadBytes}, kHeadBytes, "head of the VGF constants"));
    const auto count = Load<uint64_t>(head.bytes.data + kConstantsMagic.size());
    if (section.size < kHeadBytes || count > (section.size - kHeadBytes) / kEntryBytes)
      return Unsupported(Text("VGF constants are ", count, ", at most ",
                              section.size < kHeadBytes ? 0 : (section.size - kHeadBytes) / kEntryBytes,
                              " fit into their section (", section.size, " bytes)"));
    const uint64_t data = kHeadBytes + count * kEntryBytes;
    PTEEDIT_ASSIGN(const BlobBytes entries, ReadPart(input_, {section.offset + kHeadBytes, count * kEntryBytes},
                                                     kMaxGraphBytes, "list of the VGF constants"));
    for (uint64_t i = 0; i < count; ++i) {
      const uint8_t* entry = entries.bytes.data + i * kEntryBytes;
      const Extent extent{Load<uint64_t>(entry + 16), Load<uint64_t>(entry + 8)};
      if (!Fits(extent, section.size - data)) {
        return Unsupported(Text("VGF constant ", i, " of ", Words(extent), " is not inside the ", section.size - data,
                                " bytes of constants"));
      }
      PTEEDIT_TRY(AddConstant(resources, Load<uint32_t>(entry), {section.offset + data + extent.offset, extent.size}));
    }
    return {};
  }

  Status ReadConstantTable(const ModelResourceTable& resources) {
    FlatTables tables(input_.source, {input_.blob.offset + header_.constants.offset, header_.constants.size},
                      "VGF constant table");
    for (const FlatTables::Table constant : tables.GetTables(tables.Root(), ConstantSection::VT_DATA)) {
      Extent extent = tables.GetVector(constant, ConstantData::VT_RAW, 1).Bytes();
      extent.offset += header_.constants.offset;
      const auto resource = tables.Get<uint32_t>(constant, ConstantData::VT_MRT_INDEX, 0);
      PTEEDIT_TRY(tables.status());
      PTEEDIT_TRY(AddConstant(resources, resource, extent));
    }
    return tables.status();
  }

  Status AddConstant(const ModelResourceTable& resources, uint32_t resource, Extent extent) {
    const auto& entries = OrEmpty(resources.mrt_entry());
    if (resource >= entries.size()) {
      return Unsupported(Text("VGF constant ", out_.constants.size(), " is resource ", resource,
                              ", which does not exist: there are ", entries.size()));
    }
    const ModelResourceTableEntry& entry = *entries.Get(resource);
    BlobConstant constant;
    constant.extent = extent;
    constant.bytes = extent.size;
    constant.dtype = FormatName(entry.vk_format());
    if (entry.description() != nullptr) constant.sizes = unfolding_.CopySizes(entry.description()->shape());
    out_.constants.push_back(std::move(constant));
    return {};
  }

  const BlobInput& input_;
  Header header_;
  Unfolding unfolding_;
  std::set<std::string> vulkan_extensions_;
  DecodedBlob out_;
};

}  // namespace

Result<DecodedBlob> DecodeVgf(const BlobInput& input) {
  PTEEDIT_ASSIGN(Header header, ReadHeader(input));
  return BlobReader(input, std::move(header)).Read();
}

Result<std::vector<OperatorWork>> MeasureVgf(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Header header, ReadHeader(input));
  Unfolding unfolding(header.modules.size);
  PTEEDIT_ASSIGN(const std::vector<SpirVModule> modules, ReadModules(input, header, unfolding));
  PTEEDIT_TRY(unfolding.Check("VGF tables"));
  std::vector<OperatorWork> work;
  for (const SpirVModule& module : modules) work.insert(work.end(), module.work.begin(), module.work.end());
  return work;
}

}  // namespace pteedit
