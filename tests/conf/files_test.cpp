#include "conf/files.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace berth::conf {
namespace {

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() : directory_(std::filesystem::temp_directory_path() / "berth-files-XXXXXX") {
    std::string name = directory_.string();
    directory_ = ::mkdtemp(name.data());
  }
  ~FilesTest() override { std::filesystem::remove_all(directory_); }
  std::string path(const char* name) const { return (directory_ / name).string(); }

  std::filesystem::path directory_;
};

TEST_F(FilesTest, AFileIsReadWhole) {
  const std::string text(200'000, 'x');
  std::ofstream(path("f")) << text;
  EXPECT_EQ(*read_regular_file(path("f"), 200'000), text);
}

TEST_F(FilesTest, WhatIsNoFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_regular_file(path("pipe"), 10).error().message,
            "cannot be read: it is a pipe or a device, expected a file");
  EXPECT_EQ(read_regular_file("/dev/zero", 10).error().message,
            "cannot be read: it is a pipe or a device, expected a file");
  EXPECT_EQ(read_regular_file(directory_.string(), 10).error().message,
            "cannot be read: Is a directory");
  EXPECT_EQ(read_regular_file(path("absent"), 10).error().where, path("absent"));
}

TEST_F(FilesTest, WhatIsTooLongIsRefused) {
  std::ofstream(path("f")) << "12345678901";
  EXPECT_EQ(read_regular_file(path("f"), 10).error().message,
            "cannot be read: it is longer than 10 bytes");
}

}  // namespace
}  // namespace berth::conf
