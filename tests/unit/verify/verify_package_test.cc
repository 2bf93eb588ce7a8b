// Packages of the native backend: what opening and verification find in real
// ones that were damaged member by member.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "formats/crc32.h"
#include "pteedit/describe.h"
#include "pteedit/same.h"
#include "pteedit/sizes.h"
#include "pteedit/verify.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::verify_package_test {
namespace {

using test::DataPath;
using test::ZipTestEntry;
using Members = std::vector<ZipTestEntry>;
using Words = std::vector<std::string>;

std::vector<uint8_t> RealPackage() { return test::ReadBytes(DataPath("native/two_methods.ptn")); }

std::shared_ptr<const Source> SourceOf(std::vector<uint8_t> bytes) {
  return MakeMemorySource("m.ptn", std::move(bytes));
}

Container Opened(std::vector<uint8_t> bytes) {
  Result<Container> opened = Container::OpenToLook(SourceOf(std::move(bytes)));
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return *std::move(opened);
}

Members RealMembers() {
  const std::vector<uint8_t> bytes = RealPackage();
  const Container file = Opened(bytes);
  const auto contents = [&](size_t i) {
    const Extent place = file.segments()[i];
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(place.offset);
    return std::string(begin, begin + static_cast<std::ptrdiff_t>(place.size));
  };
  return {{"program.ptg", contents(0)}, {"program.safetensors", contents(1)}, {"aliases.json", contents(2)}};
}

std::vector<uint8_t> Packed(Members members) {
  for (ZipTestEntry &member : members) {
    Crc32 sum;
    sum.Update({reinterpret_cast<const uint8_t *>(member.contents.data()), member.contents.size()});
    member.checksum = sum.value();
  }
  return test::ZipBuilder().Build(members);
}

Words FoundIn(std::vector<uint8_t> bytes) {
  const auto all = Verify(SourceOf(std::move(bytes)), {});
  EXPECT_TRUE(all) << (all ? "" : all.error().message);
  Words words;
  for (const Finding &finding : all->front().findings) {
    const std::string sign = finding.severity == Severity::kWarning ? "~" : "";
    words.push_back(sign + finding.id + ": " + finding.where + (finding.where.empty() ? "" : " ") + finding.message);
  }
  return words;
}

Words FoundAfter(const std::function<void(Members &)> &damage) {
  Members members = RealMembers();
  damage(members);
  return FoundIn(Packed(members));
}

void Replace(std::string &text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

TEST(Package, WhatTheExporterWritesIsClean) {
  for (const char *name : {"two_methods", "tuned", "no_weights"})
    EXPECT_EQ(FoundIn(test::ReadBytes(DataPath(std::string("native/") + name + ".ptn"))), Words()) << name;
  EXPECT_EQ(FoundAfter([](Members &) {}), Words());
}

TEST(Package, TellsMethodsOperatorsAndTensors) {
  const Description found = Describe(Opened(RealPackage()));
  ASSERT_EQ(found.methods.size(), 2U);
  EXPECT_EQ(found.methods[0].name, "forward");
  EXPECT_EQ(found.methods[0].instructions, 7U);
  EXPECT_EQ(found.methods[1].inputs.at(0).layout->sizes, (std::vector<int32_t>{2, 8}));
  EXPECT_EQ(found.methods[1].outputs.at(0).layout->sizes, (std::vector<int32_t>{2, 16}));
  EXPECT_EQ(found.operators.at(1).name, "torch.ops.aten.linear.default");
  EXPECT_EQ(found.operators.at(1).calls, 4U);
  EXPECT_EQ(found.operators.at(1).methods, (Words{"forward", "encode"}));
  ASSERT_EQ(found.tensors.size(), 8U);
  EXPECT_EQ(found.tensors.back().name, "up.weight");
  EXPECT_EQ(found.tensors.back().extent, found.tensors.at(2).extent) << "up.weight is an alias of copy.weight";
}

TEST(Package, SizesAddUpToTheFile) {
  for (const char *name : {"two_methods", "no_weights"}) {
    const Container file = Opened(test::ReadBytes(DataPath(std::string("native/") + name + ".ptn")));
    const Result<SizeNode> sizes = MeasureSizes(file);
    uint64_t sum = 0;
    for (const SizeNode &component : sizes->components) sum += component.size;
    EXPECT_EQ(sum, file.source()->size());
    EXPECT_EQ(sizes->size, sum);
    for (const SizeNode &component : sizes->components) EXPECT_NE(component.name, "Unattributed");
  }
}

TEST(Package, IsTheSameWhereGraphAndTensorsAre) {
  const Container file = Opened(RealPackage()), packed = Opened(Packed(RealMembers()));
  EXPECT_FALSE(FindDifference(file, packed)->has_value());
  Members members = RealMembers();
  members[1].contents.back() = static_cast<char>(members[1].contents.back() ^ 1);
  const auto found = FindDifference(file, Opened(Packed(members)));
  EXPECT_EQ((*found)->where, "key 'seen'");
  members = RealMembers();
  Replace(members[0].contents, "relu_", "tanh_");
  EXPECT_EQ((*FindDifference(file, Opened(Packed(members))))->where, "program graph");
}

TEST(Package, OnlyWhoLooksOpensIt) {
  const Result<Container> opened = Container::Open(SourceOf(RealPackage()));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            "is a package of the native backend (.ptn), which can be looked at, and merged with packages");
  EXPECT_FALSE(CheckIsProgram(Opened(RealPackage())));
  EXPECT_FALSE(CheckAreData({Opened(RealPackage())}));
}

TEST(Package, MembersThatNoReaderTakesAreFound) {
  EXPECT_EQ(FoundAfter([](Members &members) { members[2].method = 8; }),
            Words{"ptn-member: member 'aliases.json' is compressed or "
                  "encrypted, stored as it is expected"});
  EXPECT_EQ(FoundAfter([](Members &members) { members[1].flags = 1; }).front(),
            "ptn-member: member 'program.safetensors' is compressed or "
            "encrypted, stored as it is expected");
  EXPECT_EQ(FoundAfter([](Members &members) { members.push_back(members.front()); }),
            Words{"ptn-member: member 'program.ptg' is there twice"});
  EXPECT_EQ(FoundAfter([](Members &members) { members.erase(members.begin()); }),
            Words{"ptn-member: has no member 'program.ptg'"});
  EXPECT_EQ(FoundAfter([](Members &members) {
              members.push_back({"notes.txt", "n"});
            }),
            Words{"~ptn-other-member: member 'notes.txt' is none that a package has"});
  for (const char *name : {"../x", "/x", "a/../../x", "a\\x"}) {
    EXPECT_EQ(FoundAfter([&](Members &members) {
                members.push_back({name, "n"});
              }),
              Words{std::string("ptn-member: member '") + name + "' leads out of the folder that it is unpacked into"});
  }
}

TEST(Package, TensorsThatAreNotThereAreFound) {
  EXPECT_EQ(FoundAfter([](Members &members) { members[1].contents.pop_back(); }).front(),
            "ptn-tensors: member 'program.safetensors' cannot be read: tensor "
            "'seen' ends at byte 868, after the end "
            "of the data "
            "(867 bytes)");
  EXPECT_EQ(FoundAfter([](Members &members) { members[1].contents = "short"; }).front(),
            "ptn-tensors: member 'program.safetensors' cannot be read: no "
            "safetensors file: only 5 bytes");
  const auto no_aliases = FoundAfter([](Members &members) { members.pop_back(); });
  EXPECT_EQ(no_aliases, (Words{"ptn-key: key 'up.weight' is asked for by the graph and not there",
                               "ptn-key: key 'up.bias' is asked for by the graph and not there"}));
  EXPECT_EQ(FoundAfter([](Members &members) {
              Replace(members[1].contents, "\"F32\",\"shape\":[4,16]", "\"I32\",\"shape\":[4,16]");
            }),
            Words{"ptn-key: key 'down.weight' is int32, the graph reads float32"});
  EXPECT_EQ(FoundAfter([](Members &members) { Replace(members[1].contents, "down.bias", "down.seat"); }),
            (Words{"ptn-key: key 'down.bias' is asked for by the graph and not there",
                   "~ptn-unused: key 'down.seat' is read by nothing"}));
  EXPECT_EQ(FoundAfter([](Members &members) {
              Replace(members[1].contents, "\"F32\",\"shape\":[16,8]", "\"C64\",\"shape\":[16,4]");
            }).front(),
            "ptn-tensors: tensor 'copy.weight' has elements or sizes that the "
            "runtime does not know");
}

TEST(Package, AliasesThatLeadNowhereAreFound) {
  const auto with = [](const std::string &text) {
    return FoundAfter([&](Members &members) { members[2].contents = text; });
  };
  EXPECT_EQ(with(R"({"a": "nobody"})"), Words{"ptn-aliases: alias 'a' names owner 'nobody', which is no tensor"});
  EXPECT_EQ(with(R"({"down.bias": "copy.bias"})"), Words{"ptn-aliases: alias 'down.bias' is also the key of a tensor"});
  EXPECT_EQ(with(R"({"a": 1})"), Words{"ptn-aliases: alias 'a' names no owner"});
  EXPECT_EQ(with(R"({"a": "copy.bias", "a": "copy.bias"})"), Words{"ptn-aliases: alias 'a' is there twice"});
  EXPECT_EQ(with("[]"), Words{"ptn-aliases: member 'aliases.json' cannot be "
                              "read: text is no JSON object"});
  EXPECT_EQ(FoundAfter([](Members &members) { members.erase(members.begin() + 1); }),
            Words{"ptn-aliases: member 'aliases.json' cannot be read: there is no "
                  "'program.safetensors' beside it"});
}

TEST(Package, WhatIsOverTheRuntimesLimitsIsFound) {
  const std::string shape = [] {
    std::string ones = "1";
    for (int i = 1; i < 65; ++i) ones += ",1";
    return ones;
  }();
  EXPECT_EQ(FoundAfter([&](Members &members) {
              members[1].contents = R"({"x":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[0,4]}})";
              const uint64_t size = members[1].contents.size();
              members[1].contents.insert(0, reinterpret_cast<const char *>(&size), sizeof(size));
              members[1].contents += "1234";
            }).front(),
            "ptn-tensors: member 'program.safetensors' cannot be read: tensor "
            "'x' has 65 dimensions, at most 64");
  EXPECT_EQ(FoundAfter([](Members &members) { members[2].contents = std::string((size_t{64} << 20) + 1, ' '); }),
            Words{"ptn-aliases: member 'aliases.json' cannot be read: has "
                  "67108865 bytes, at most 67108864"});
  EXPECT_EQ(FoundAfter([](Members &members) {
              std::string &tensors = members[1].contents;
              uint64_t size = 0;
              std::memcpy(&size, tensors.data(), sizeof(size));
              const uint64_t padded = (uint64_t{64} << 20) + 1;
              tensors.insert(sizeof(size) + size, padded - size, ' ');
              std::memcpy(tensors.data(), &padded, sizeof(padded));
            }),
            Words{"ptn-limit: header of tensors has 67108865 bytes, at most "
                  "67108864 are read"});
}

TEST(Package, DamageInsideAMemberIsFound) {
  std::vector<uint8_t> bytes = RealPackage();
  const Extent tensors = Opened(bytes).segments()[1];
  bytes[tensors.offset + tensors.size - 1] ^= 1;
  EXPECT_EQ(FoundIn(bytes).size(), 1U);
  EXPECT_EQ(FoundIn(bytes).front().substr(0, 93),
            "ptn-checksum: member 'program.safetensors' has other bytes than "
            "when it was written: checksum");
  EXPECT_EQ(FoundAfter([](Members &members) { members[0].contents.resize(100); }).front(),
            "ptn-graph: graph of the native backend (100 bytes) is damaged: an "
            "offset leads out of it or a field is "
            "too long");
  bytes.resize(bytes.size() - 30);
  EXPECT_EQ(FoundIn(bytes), Words{"zip-damaged: archive has no directory at its end: it is "
                                  "cut, or its directory is damaged"});
}

TEST(Package, AnyPrefixAndAnyFlippedBitIsAnErrorOrAFile) {
  const std::vector<uint8_t> bytes = test::ReadBytes(DataPath("native/no_weights.ptn"));
  const auto look = [](std::vector<uint8_t> damaged) {
    const Result<Container> opened = Container::OpenToLook(SourceOf(std::move(damaged)));
    EXPECT_TRUE(opened || !opened.error().message.empty());
    if (!opened) return;
    Describe(*opened);
    EXPECT_TRUE(MeasureSizes(*opened));
    EXPECT_TRUE(VerifyOpened(*opened));
  };
  for (size_t size = 0; size < bytes.size(); size += 7)
    look({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::vector<uint8_t> damaged = bytes;
    damaged[at] ^= static_cast<uint8_t>(1U << (at % 8));
    look(std::move(damaged));
  }
}

TEST(Package, WhatNoReleaseWritesIsNamed) {
  for (const std::string text : {"NFAT and more", "1234NFAT and more"}) {
    const auto opened = Container::Open(MakeMemorySource("m.bin", {text.begin(), text.end()}));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().message, "is a file 'NFAT', which no release writes or reads");
  }
}

}  // namespace
}  // namespace pteedit::verify_package_test
