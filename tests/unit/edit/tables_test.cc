// That the editable structs list exactly the fields of the schema: everything unpacked is packed again, in its place.
#include "edit/tables.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "flatbuffers/minireflect.h"
#include "program/schema.h"

namespace pteedit::tables_test {
namespace {

using flatbuffers::TypeTable;

template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

// The ElementaryType of what flatc calls byte, int and so on, for one of our number types.
template <class Number>
bool IsStoredAs(flatbuffers::ElementaryType type) {
  switch (type) {
    case flatbuffers::ET_BOOL:
    case flatbuffers::ET_UCHAR:
      return std::is_same_v<Number, uint8_t>;
    case flatbuffers::ET_CHAR:
      return std::is_same_v<Number, int8_t>;
    case flatbuffers::ET_INT:
      return std::is_same_v<Number, int32_t>;
    case flatbuffers::ET_UINT:
      return std::is_same_v<Number, uint32_t>;
    case flatbuffers::ET_LONG:
      return std::is_same_v<Number, int64_t>;
    case flatbuffers::ET_ULONG:
      return std::is_same_v<Number, uint64_t>;
    case flatbuffers::ET_DOUBLE:
      return std::is_same_v<Number, double>;
    default:
      return false;
  }
}

// Compares one struct with one type table, and what they lead to.
class Comparer {
 public:
  template <class Table>
  void Compare(const TypeTable& type, const std::string& name) {
    SCOPED_TRACE(name);
    const Table table;
    std::set<int> fields;
    Table::Fields(table, [&](int field, const auto& value) {
      EXPECT_TRUE(fields.insert(field).second) << "field " << field << " is listed twice";
      ASSERT_LT(static_cast<size_t>(field), type.num_elems) << "field " << field << " is not in the schema";
      Visit(type, static_cast<size_t>(field), value);
      if (IsVariant<std::decay_t<decltype(value)>>::value) fields.insert(field - 1);  // the tag
    });
    EXPECT_EQ(fields.size(), type.num_elems) << "a field of the schema is not listed";
  }

 private:
  static flatbuffers::ElementaryType BaseOf(const TypeTable& type, size_t field) {
    return static_cast<flatbuffers::ElementaryType>(type.type_codes[field].base_type);
  }
  static const TypeTable& ChildOf(const TypeTable& type, size_t field) {
    return *type.type_refs[type.type_codes[field].sequence_ref]();
  }
  static std::string NameOf(const TypeTable& type, size_t field) { return type.names[field]; }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  void Visit(const TypeTable& type, size_t field, const Number&) {
    EXPECT_FALSE(type.type_codes[field].is_repeating) << NameOf(type, field);
    EXPECT_TRUE(IsStoredAs<Number>(BaseOf(type, field))) << NameOf(type, field);
  }

  void Visit(const TypeTable& type, size_t field, const tables::Text&) {
    EXPECT_FALSE(type.type_codes[field].is_repeating) << NameOf(type, field);
    EXPECT_EQ(BaseOf(type, field), flatbuffers::ET_STRING) << NameOf(type, field);
  }

  template <class T>
    requires(!std::is_same_v<T, char>)
  void Visit(const TypeTable& type, size_t field, const tables::Vector<T>&) {
    EXPECT_TRUE(type.type_codes[field].is_repeating) << NameOf(type, field);
    EXPECT_TRUE(IsStoredAs<T>(BaseOf(type, field))) << NameOf(type, field);
  }

  void Visit(const TypeTable& type, size_t field, const tables::Blob&) {
    EXPECT_TRUE(type.type_codes[field].is_repeating) << NameOf(type, field);
    EXPECT_EQ(BaseOf(type, field), flatbuffers::ET_UCHAR) << NameOf(type, field);
  }

  template <tables::Optional Child>
  void Visit(const TypeTable& type, size_t field, const Child&) {
    EXPECT_FALSE(type.type_codes[field].is_repeating) << NameOf(type, field);
    CompareChild<typename Child::value_type>(type, field);
  }

  template <class Child>
  void Visit(const TypeTable& type, size_t field, const tables::Children<Child>&) {
    EXPECT_TRUE(type.type_codes[field].is_repeating) << NameOf(type, field);
    CompareChild<Child>(type, field);
  }

  template <class Child>
  void CompareChild(const TypeTable& type, size_t field) {
    ASSERT_EQ(BaseOf(type, field), flatbuffers::ET_SEQUENCE) << NameOf(type, field);
    ASSERT_EQ(ChildOf(type, field).st, flatbuffers::ST_TABLE) << NameOf(type, field);
    Compare<Child>(ChildOf(type, field), NameOf(type, field));
  }

  template <class... Members>
  void Visit(const TypeTable& type, size_t field, const std::variant<Members...>&) {
    ASSERT_GT(field, 0u);
    EXPECT_EQ(BaseOf(type, field - 1), flatbuffers::ET_UTYPE) << NameOf(type, field);
    ASSERT_EQ(BaseOf(type, field), flatbuffers::ET_SEQUENCE) << NameOf(type, field);
    const TypeTable& members = ChildOf(type, field);
    ASSERT_EQ(members.st, flatbuffers::ST_UNION) << NameOf(type, field);
    ASSERT_EQ(members.num_elems, sizeof...(Members)) << NameOf(type, field);
    size_t tag = 0;
    (CompareMember<Members>(members, tag++), ...);
  }

  template <class Member>
  void CompareMember(const TypeTable& members, size_t tag) {
    if constexpr (std::is_same_v<Member, std::monostate>) {
      EXPECT_EQ(tag, 0u);
    } else {
      ASSERT_GE(members.type_codes[tag].sequence_ref, 0);
      Compare<Member>(ChildOf(members, tag), NameOf(members, tag));
    }
  }
};

TEST(Tables, ListEveryFieldOfAProgram) { Comparer().Compare<tables::Program>(*schema::ProgramTypeTable(), "Program"); }

TEST(Tables, ListEveryFieldOfADataFile) {
  Comparer().Compare<tables::FlatTensor>(*schema::flat::FlatTensorTypeTable(), "FlatTensor");
}

TEST(Tables, ListEveryFieldOfABundle) {
  Comparer().Compare<tables::BundledProgram>(*schema::bundle::BundledProgramTypeTable(), "BundledProgram");
}

// Names of union members tell apart tables of equal shape: IntList and TensorList differ in width alone, Int and Bool
// too.
TEST(Tables, UnionMembersAreInTheOrderOfTheSchema) {
  const auto tag_of = [](auto member) { return tables::EValue{std::move(member)}.val.index(); };
  EXPECT_EQ(tag_of(tables::Null{}), static_cast<size_t>(schema::KernelTypes::Null));
  EXPECT_EQ(tag_of(tables::Tensor{}), static_cast<size_t>(schema::KernelTypes::Tensor));
  EXPECT_EQ(tag_of(tables::TensorList{}), static_cast<size_t>(schema::KernelTypes::TensorList));
  EXPECT_EQ(tag_of(tables::OptionalTensorList{}), static_cast<size_t>(schema::KernelTypes::OptionalTensorList));
  const auto call_of = [](auto member) { return tables::Instruction{std::move(member)}.instr_args.index(); };
  EXPECT_EQ(call_of(tables::MoveCall{}), static_cast<size_t>(schema::InstructionArguments::MoveCall));
  EXPECT_EQ(call_of(tables::JumpFalseCall{}), static_cast<size_t>(schema::InstructionArguments::JumpFalseCall));
  EXPECT_EQ(call_of(tables::FreeCall{}), static_cast<size_t>(schema::InstructionArguments::FreeCall));
}

}  // namespace
}  // namespace pteedit::tables_test
