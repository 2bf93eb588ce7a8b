#include "io/temporary_name.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "file_contents.h"

namespace pteedit::temporary_name_test {
namespace {

using test::TemporaryFolder;
using test::WriteBytes;
using Names = std::vector<std::string>;

const std::vector<uint8_t> kOld{'o', 'l', 'd'};

// A process that is over.
pid_t EndedProcess() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

TEST(TemporaryName, RemovesWhatEndedProcessesLeftOfTheSameTarget) {
  const TemporaryFolder folder;
  const std::string ended = std::to_string(EndedProcess()), alive = std::to_string(getppid());
  const std::string stale = ".out.pte." + ended + "-0.tmp", stale_folder = ".out.pte." + ended + "-1.tmp";
  const std::string locked = ".out.pte." + ended + "-2.tmp", running = ".out.pte." + alive + "-0.tmp";
  const Names foreign = {".out.ptd." + ended + "-0.tmp", ".out.pte." + ended + "-0.tmp.old",
                         ".out.pte." + ended + ".tmp",   ".out.pte." + ended + "-x.tmp",
                         ".out.pte.mine-0.tmp",          "out.pte." + ended + "-0.tmp"};
  Names kept = foreign;
  for (const std::string& name : {locked, running}) kept.push_back(name);
  for (const std::string& name : kept) WriteBytes(folder / name, kOld);
  WriteBytes(folder / stale, kOld);
  std::filesystem::create_directory(folder / stale_folder);
  WriteBytes(folder / (stale_folder + "/model.pte"), kOld);
  const int other = open((folder / locked).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_SH), 0);  // as a process of another machine has it
  const auto make = [](const char* name) { return mkdir(name, 0777); };
  const Result<TemporaryName> name = TemporaryName::Take(folder / "out.pte", folder.path(), make);
  ASSERT_TRUE(name);
  std::filesystem::remove(name->path());
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(folder.Names(), kept);
  close(other);
}

}  // namespace
}  // namespace pteedit::temporary_name_test
