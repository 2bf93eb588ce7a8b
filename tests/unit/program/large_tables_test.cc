// Programs with more tables than flatbuffers' own limit of a million.
#include <gtest/gtest.h>

#include "edit/model.h"
#include "edit/pack.h"
#include "edit/plan.h"
#include "program/schema.h"
#include "pteedit/describe.h"
#include "pteedit/sizes.h"
#include "small_files.h"
#include "test_files.h"

namespace pteedit::large_tables_test {
namespace {

constexpr size_t kValues = 700'000;  // two tables each

tables::Program ProgramOfNumbers() {
  tables::Program program;
  program.execution_plan.present = true;
  tables::ExecutionPlan plan;
  plan.name = tables::OwnText("forward");
  plan.values.present = true;
  for (size_t i = 0; i < kValues; ++i) {
    tables::Int number;
    number.value = static_cast<int64_t>(i);
    plan.values.items.push_back({number});
  }
  program.execution_plan.items.push_back(std::move(plan));
  return program;
}

TEST(LargeTables, MoreThanAMillionTablesOpenAndAreRewritten) {
  auto packed = PackProgram(ProgramOfNumbers());
  ASSERT_TRUE(packed);
  const size_t size = packed->size;
  auto file = test::OpenBytes(test::BytesOf(*packed));
  ASSERT_TRUE(file) << file.error().message;
  auto sizes = MeasureSizes(*file);
  ASSERT_TRUE(sizes);
  EXPECT_EQ(sizes->size, size);
  auto model = ReadProgramModel(*file);
  ASSERT_TRUE(model);
  EXPECT_EQ(std::get<tables::Int>(model->tables.execution_plan.items[0].values.items[kValues - 1].val).value,
            static_cast<int64_t>(kValues - 1));
  model->changed = true;
  auto plan = PlanFile(*model);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->size(), size);
}

TEST(LargeTables, TooManyReferencesToOneTableAreRefused) {
  // A vector whose elements all lead to the same table unfolds to far more tables than the file has room for.
  flatbuffers::FlatBufferBuilder builder;
  const auto value = schema::CreateEValue(builder, schema::KernelTypes::Null, schema::CreateNull(builder).Union());
  const auto values = builder.CreateVector(std::vector<flatbuffers::Offset<schema::EValue>>(1'000'000, value));
  schema::ExecutionPlanBuilder plan(builder);
  plan.add_values(values);
  const auto plans = builder.CreateVector(std::vector<flatbuffers::Offset<schema::ExecutionPlan>>{plan.Finish()});
  schema::ProgramBuilder program(builder);
  program.add_execution_plan(plans);
  builder.Finish(program.Finish(), "ET12");
  auto file = test::OpenBytes({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace pteedit::large_tables_test
