#include "edit/data_builder.h"

#include <algorithm>

namespace pteedit {

void DataBuilder::MakeRoom(size_t entries) {
  model_.segments.reserve(entries);
  model_.tables.named_data.items.reserve(entries);
}

uint32_t DataBuilder::AddSegment(const std::shared_ptr<const Source>& source, Extent extent) {
  model_.segments.emplace_back();
  model_.segments.back().bytes.Append(source, extent);
  return static_cast<uint32_t>(model_.segments.size() - 1);
}

void DataBuilder::Align(uint32_t segment, uint64_t alignment) {
  uint64_t& now = model_.segments[segment].alignment;
  now = std::max(now, alignment);
}

void DataBuilder::KeepPlace(uint32_t segment, uint64_t place) { model_.segments[segment].least_place = place; }

void DataBuilder::LetLieInside(uint32_t segment) { model_.segments[segment].inside = true; }

void DataBuilder::KeepSegmentBase(uint64_t base) { model_.segment_base = base; }

void DataBuilder::AddEntry(std::string_view key, uint32_t segment, const TensorLayout* layout) {
  tables::DataEntry entry{tables::ViewText(key), segment, {}};
  if (layout != nullptr) {
    entry.tensor_layout = tables::Layout{layout->scalar_type, tables::Vector<int32_t>::View(layout->sizes),
                                         tables::Vector<uint8_t>::View(layout->dim_order)};
  }
  model_.tables.named_data.items.push_back(std::move(entry));
}

DataModel DataBuilder::Take() && {
  model_.tables.named_data.present = true;
  return std::move(model_);
}

}  // namespace pteedit
