#include "pteedit/locate.h"

#include <gtest/gtest.h>

#include <map>

#include "program/container_state.h"
#include "pteedit/sizes.h"
#include "test_files.h"

namespace pteedit::locate_test {
namespace {

using test::DataPath;
using test::OpenFile;
using Words = std::vector<std::string>;

BytePlace At(const Container& file, uint64_t offset) {
  Result<BytePlace> place = LocateByte(file, offset);
  EXPECT_TRUE(place) << (place ? "" : place.error().message);
  return *place;
}

uint64_t OffsetOf(const Container& file, const void* address) {
  return static_cast<uint64_t>(static_cast<const uint8_t*>(address) - file.tables().data);
}

TEST(LocateByte, TellsTheFieldOfTheTables) {
  const Container file = OpenFile(DataPath("f02_linear.pte"));
  const auto& plan = *file.state().program_root().execution_plan()->Get(0);
  EXPECT_EQ(At(file, OffsetOf(file, plan.name()->c_str())).field, "execution_plan[0].name");
  EXPECT_EQ(At(file, OffsetOf(file, plan.values()->Get(3)->val_as_Tensor()->sizes()->data() + 1)).field,
            "execution_plan[0].values[3].val.sizes[1]");
  EXPECT_EQ(At(file, OffsetOf(file, plan.operators()->Get(1)->name()->c_str())).field,
            "execution_plan[0].operators[1].name");
  EXPECT_EQ(At(file, OffsetOf(file, &plan)).field, "execution_plan[0](vtable)");
  EXPECT_EQ(At(file, 0).field, "(root offset)");
  EXPECT_EQ(At(file, 5).field, "(identifier)");
  EXPECT_EQ(At(file, 12).field, "(extended header)");
  EXPECT_EQ(At(file, 12).components, (Words{"Program Flatbuffer", "header"}));
}

TEST(LocateByte, TellsRowAndBlobPart) {
  const Container file = OpenFile(DataPath("f03_mlp_xnn.pte"));
  const Extent blob = file.segments()[1];
  EXPECT_EQ(At(file, blob.offset + 5).components, (Words{"Delegate Blobs", "XnnpackBackend_0", "header"}));
  EXPECT_EQ(At(file, blob.offset + 40).components, (Words{"Delegate Blobs", "XnnpackBackend_0", "graph"}));
  const NamedEntry& key = file.named_data()[2];
  const BytePlace last = At(file, key.extent.offset + key.extent.size - 1);
  EXPECT_EQ(last.components, (Words{"Named Data", std::string(key.key)}));
  EXPECT_EQ(last.extent, key.extent);
  EXPECT_EQ(last.field, "");
}

TEST(LocateByte, GivesInlineConstantsBothNames) {
  const Container file = OpenFile(DataPath("old/0.1_inline.pte"));
  const SizeNode sizes = *MeasureSizes(file);
  const SizeNode* constant = FindComponent(sizes, "forward.constant_0");
  ASSERT_NE(constant, nullptr);
  const BytePlace place = At(file, constant->place->offset + 1);
  EXPECT_EQ(place.components, (Words{"Constant Tensors", "forward.constant_0"}));
  EXPECT_EQ(place.field, "constant_buffer[1].storage[1]");
}

// A walk over the bytes gives the size tree again.
TEST(LocateByte, AgreesWithTheSizeTree) {
  constexpr uint64_t kStep = 31;
  for (const char* name : {"f06/mixed.pte", "f04/w.ptd", "f11_bundled_xnn.bpte", "old/0.6.0_lin_ext.pte",
                           "old/0.6.0_lin_ext__default_external_constant.ptd"}) {
    const Container file = OpenFile(DataPath(name));
    const SizeNode sizes = *MeasureSizes(file);
    std::map<std::string, uint64_t> bytes;
    for (uint64_t offset = 0; offset < sizes.size; offset += kStep) {
      const BytePlace place = At(file, offset);
      ASSERT_FALSE(place.components.empty()) << offset;
      bytes[place.components[0]] += kStep;
      EXPECT_TRUE(offset >= place.extent.offset && offset < place.extent.offset + place.extent.size) << offset;
    }
    for (const SizeNode& component : sizes.components) {
      EXPECT_NEAR(static_cast<double>(bytes[component.name]), static_cast<double>(component.size),
                  1.1 * kStep * static_cast<double>(component.components.size() + 1))
          << name << " " << component.name;
    }
  }
}

TEST(LocateByte, LooksInsideABundle) {
  const Container file = OpenFile(DataPath("f11_bundled_xnn.bpte"));
  const BytePlace place = At(file, file.program_extent().offset + 5);
  EXPECT_EQ(place.components, (Words{"Program", "Program Flatbuffer", "header"}));
  EXPECT_EQ(place.field, "(identifier)");
  EXPECT_EQ(place.extent.offset, file.program_extent().offset + 4);
}

TEST(LocateByte, RefusesWhatIsBehindTheFile) {
  const Container file = OpenFile(DataPath("f02_linear.pte"));
  const auto place = LocateByte(file, file.source()->size());
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace pteedit::locate_test
