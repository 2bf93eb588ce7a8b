#include "delegates/openvino.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "delegates/openvino_layers.h"
#include "delegates/openvino_work.h"
#include "formats/xml_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kOpenVinoMagic = "RR_UPCVO";
constexpr uint32_t kOpenVinoVersion = 1;
constexpr uint64_t kTextOffset = 20;  // behind magic, version and size
constexpr uint64_t kMaxOpenVinoTextBytes = uint64_t{1} << 16;
constexpr uint64_t kOpenVinoHeaderBytes = 6 * sizeof(uint64_t);
constexpr uint64_t kMaxOpenVinoModelBytes = uint64_t{64} << 20;
constexpr uint8_t kKey[] = {0x30, 0x60, 0x70, 0x02, 0x04, 0x08, 0x3F, 0x6F, 0x72, 0x74, 0x78, 0x7F};

struct Sections {
  uint64_t header = 0;  // where it begins
  std::string text;
  Extent custom, constants, model;
};

// Where the header begins, and the text before it.
Result<Sections> FindHeader(const BlobInput& input) {
  Sections sections;
  if (input.blob.size < kTextOffset) {
    return Unsupported(Text("blob has ", input.blob.size, " bytes, at least ", kTextOffset, " expected"));
  }
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {0, kTextOffset}, kTextOffset, "head"));
  if (ViewOf(head).substr(0, kOpenVinoMagic.size()) != kOpenVinoMagic) {
    const std::string_view device = SpecText(input, "device").value_or("CPU");
    if (device == "CPU") return sections;
    return Unsupported(Text("blob is for device ", Quoted(device), ", only those of the CPU plugin are looked into"));
  }
  const uint32_t version = Load<uint32_t>(head.bytes.data + kOpenVinoMagic.size());
  if (version != kOpenVinoVersion)
    return Unsupported(Text("blob is of version ", version, ", ", kOpenVinoVersion, " expected"));
  const Extent text{kTextOffset, Load<uint64_t>(head.bytes.data + kOpenVinoMagic.size() + sizeof(version))};
  PTEEDIT_ASSIGN(const BlobBytes read, ReadPart(input, text, kMaxOpenVinoTextBytes, "text about the runtime"));
  sections.text = ViewOf(read);
  sections.header = text.offset + text.size;
  return sections;
}

Status CheckSections(const Sections& sections, uint64_t blob_size) {
  uint64_t end = sections.header + kOpenVinoHeaderBytes;
  for (const auto& [name, extent] : {std::pair("custom data", sections.custom),
                                     std::pair("constants", sections.constants), std::pair("model", sections.model)}) {
    if (!Fits(extent, blob_size)) {
      return Unsupported(
          Text(name, " of ", Words(extent), " is not inside the processed blob (", blob_size, " bytes)"));
    }
    if (extent.size == 0) continue;
    if (extent.offset < end) {
      return Unsupported(
          Text(name, " of ", Words(extent), " begins before ", Hex(end), ", where what precedes it ends"));
    }
    end = extent.offset + extent.size;
  }
  return {};
}

Result<Sections> ReadSections(const BlobInput& input) {
  PTEEDIT_ASSIGN(Sections sections, FindHeader(input));
  PTEEDIT_ASSIGN(const BlobBytes header,
                 ReadPart(input, {sections.header, kOpenVinoHeaderBytes}, kOpenVinoHeaderBytes, "header"));
  const uint8_t* next = header.bytes.data;
  for (Extent* extent : {&sections.custom, &sections.constants, &sections.model}) {
    const uint64_t offset = Load<uint64_t>(next);
    const std::optional<uint64_t> from_start = CheckedAdd(offset, sections.header);
    if (!from_start)
      return Unsupported(Text("section begins at ", Hex(offset), " after the header, which no blob has"));
    *extent = {*from_start, Load<uint64_t>(next + sizeof(uint64_t))};
    next += 2 * sizeof(uint64_t);
  }
  PTEEDIT_TRY(CheckSections(sections, input.blob.size));
  return sections;
}

Result<uint64_t> NumberOf(const XmlTag& tag, const char* attribute, const std::string& layer) {
  const std::optional<std::string> text = tag.Attribute(attribute);
  uint64_t number = 0;
  const auto read =
      text ? std::from_chars(text->data(), text->data() + text->size(), number) : std::from_chars_result();
  if (text && read.ec == std::errc() && read.ptr == text->data() + text->size()) return number;
  return Unsupported(Text("layer ", Quoted(layer), " has ", Quoted(text.value_or("")), " as ", Quoted(attribute),
                          ", a number expected"));
}

// "8, 3, 3, 3"; a dimension that is no number is 0.
std::vector<uint64_t> OpenVinoSizesOf(std::string_view shape) {
  std::vector<uint64_t> sizes;
  while (!shape.empty() && sizes.size() < kMaxDims) {
    const size_t comma = std::min(shape.find(','), shape.size());
    std::string_view digits = shape.substr(0, comma);
    digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
    uint64_t size = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
    sizes.push_back(size);
    shape.remove_prefix(std::min(comma + 1, shape.size()));
  }
  return sizes;
}

class LayerReader {
 public:
  LayerReader(std::string_view xml, Extent constants) : reader_(xml), constants_(constants) {}

  // Operators and constants.
  Result<DecodedBlob> Read() && {
    while (true) {
      PTEEDIT_ASSIGN(const XmlTag tag, reader_.Next());
      if (tag.kind == XmlTag::Kind::kNone) break;
      const bool is_open = tag.kind != XmlTag::Kind::kClose;
      if (tag.name == "layer") {
        PTEEDIT_TRY(ReadLayer(tag));
      } else if (tag.name == "layers" && is_open) {
        numbered_[layers_.level()].clear();  // a model, or a body in a layer, has numbers of its own
      } else if (tag.name == "edge" && is_open) {
        AddRead(tag);
      } else if (tag.name == "data" && is_open && !layers_.empty() && layers_.back().is_constant) {
        numbered_[layers_.level() - 1][layers_.back().id].constant = out_.constants.size();
        PTEEDIT_TRY(AddConstant(tag, layers_.back().name));
        layers_.back().is_constant = false;  // the first one counts
      }
    }
    if (!layers_.empty()) return Unsupported(Text("layer ", Quoted(layers_.back().name), " of the model does not end"));
    for (const std::set<size_t>& reads : reads_) out_.operator_constants.emplace_back(reads.begin(), reads.end());
    return std::move(out_);
  }

 private:
  struct Layer {
    std::string name, id;
    bool is_constant = false;
  };
  // What a layer is, by its place in what was found.
  struct Numbered {
    std::optional<size_t> constant, computes;
  };

  Status ReadLayer(const XmlTag& tag) {
    if (tag.kind == XmlTag::Kind::kClose) return layers_.End();
    const std::string type = tag.Attribute("type").value_or("").substr(0, kMaxNameBytes);
    const std::string id = tag.Attribute("id").value_or("").substr(0, kMaxNameBytes);
    if (IsOpenVinoOperator(type)) {
      numbered_[layers_.level()][id].computes = out_.operators.size();
      out_.operators.push_back(type);
      reads_.emplace_back();
    }
    return layers_.Begin(tag, {tag.Attribute("name").value_or("").substr(0, kMaxNameBytes), id, type == "Const"});
  }

  // Edges stand behind the layers that they connect.
  void AddRead(const XmlTag& edge) {
    const auto& layers = numbered_[layers_.level()];
    const auto from = layers.find(edge.Attribute("from-layer").value_or(""));
    const auto to = layers.find(edge.Attribute("to-layer").value_or(""));
    if (from == layers.end() || to == layers.end()) return;
    if (from->second.constant && to->second.computes) reads_[*to->second.computes].insert(*from->second.constant);
  }

  Status AddConstant(const XmlTag& data, const std::string& layer) {
    BlobConstant constant;
    constant.name = layer;
    constant.dtype = data.Attribute("element_type").value_or("").substr(0, kMaxNameBytes);
    constant.sizes = OpenVinoSizesOf(data.Attribute("shape").value_or(""));
    PTEEDIT_ASSIGN(const uint64_t offset, NumberOf(data, "offset", layer));
    PTEEDIT_ASSIGN(constant.bytes, NumberOf(data, "size", layer));
    if (!Fits(offset, constant.bytes, constants_.size)) {
      return Unsupported(Text("layer ", Quoted(layer), " has ", constant.bytes, " bytes at ", Hex(offset),
                              " of the constants, which have ", constants_.size, " bytes"));
    }
    constant.extent = {constants_.offset + offset, constant.bytes};
    out_.constants.push_back(std::move(constant));
    return {};
  }

  XmlReader reader_;
  Extent constants_;
  OpenLayers<Layer> layers_;
  std::array<std::map<std::string, Numbered>, kMaxOpenVinoLevels + 1> numbered_;  // by level and id
  std::vector<std::set<size_t>> reads_;                                           // constants, by operator
  DecodedBlob out_;
};

Result<BlobBytes> ReadModel(const BlobInput& input, Extent model) {
  PTEEDIT_ASSIGN(BlobBytes read, ReadPart(input, model, kMaxOpenVinoModelBytes, "model"));
  if (ViewOf(read).starts_with("<?xml")) return read;
  for (size_t i = 0; i < read.bytes.size; ++i) read.owner[i] ^= kKey[i % std::size(kKey)];
  if (ViewOf(read).starts_with("<?xml")) return read;
  return Unsupported(Text("model at ", Hex(model.offset), " is no XML"));
}

}  // namespace

Result<DecodedBlob> DecodeOpenvino(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Sections sections, ReadSections(input));
  PTEEDIT_ASSIGN(const BlobBytes xml, ReadModel(input, sections.model));
  PTEEDIT_ASSIGN(DecodedBlob decoded, LayerReader(ViewOf(xml), sections.constants).Read());
  decoded.facts = SpecFacts(input, {"device"});
  if (!sections.text.empty()) decoded.facts.push_back({"runtime", sections.text.substr(0, kMaxNameBytes)});
  decoded.parts = FillGaps({{"header", {0, sections.header + kOpenVinoHeaderBytes}},
                            {"custom data", sections.custom},
                            {"constants", sections.constants},
                            {"model", sections.model}},
                           input.blob.size);
  return decoded;
}

Result<std::vector<OperatorWork>> MeasureOpenvino(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Sections sections, ReadSections(input));
  PTEEDIT_ASSIGN(const BlobBytes xml, ReadModel(input, sections.model));
  return MeasureOpenVinoLayers(ViewOf(xml));
}

}  // namespace pteedit
