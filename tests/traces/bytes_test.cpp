#include "traces/bytes.h"

#include <gtest/gtest.h>

#include "traces/samples.h"

namespace berth::traces::bytes_test {
namespace {

// The bytes of a source, and the message of the fault that ends it.
std::string read_all(ByteSource& bytes) {
  std::string all;
  char part[7];
  while (true) {
    const auto size = bytes.read(part);
    if (!size) return all + "!" + size.error().message;
    if (*size == 0) return all;
    all.append(part, *size);
  }
}

std::string unzipped(std::string_view packed, std::size_t most = 1'000'000) {
  Trickle source(packed, most);
  Unzipped bytes(source);
  return read_all(bytes);
}

// TRACE-1
TEST(Bytes, OfPlainTextAreAsTheyAre) {
  for (const std::string text : {"", "a", "\x1f", "\x1f\n", "some text of more than one part\n"}) {
    EXPECT_EQ(unzipped(text), text);
    EXPECT_EQ(unzipped(text, 1), text);
  }
}

TEST(Bytes, OfGzipAreUnpacked) {
  const std::string text(300'000, 'x');
  for (const std::size_t most : {1U, 2U, 1'000U, 1'000'000U}) {
    EXPECT_EQ(unzipped(gzip("1 2 3\n"), most), "1 2 3\n");
    EXPECT_EQ(unzipped(gzip(""), most), "");
    EXPECT_EQ(unzipped(gzip(text), most), text);
  }
}

TEST(Bytes, OfSeveralMembersFollowEachOther) {
  EXPECT_EQ(unzipped(gzip("a\n") + gzip("") + gzip("b\n"), 3), "a\nb\n");
}

TEST(Bytes, OfACutOrBrokenGzipEndInAnError) {
  const std::string packed = gzip("1 2 3\n4 5 6\n");
  for (std::size_t size = 2; size < packed.size(); ++size) {
    const std::string read = unzipped(packed.substr(0, size));
    EXPECT_NE(read.find("!broken gzip (it ends too early), expected"), read.npos) << size;
  }
  std::string other = packed;
  other[packed.size() - 6] ^= 1;
  EXPECT_EQ(unzipped(other),
            "1 2 3\n4 5 6\n!broken gzip (incorrect data check), expected gzip as it was written");
  EXPECT_NE(unzipped(packed + "more").find("!broken gzip (incorrect header check)"),
            std::string::npos);
}

TEST(Bytes, OfAFileThatCannotBeReadAreAnError) {
  const auto missing = open_file("/nowhere/log.swf");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().to_string(),
            "/nowhere/log.swf: cannot be read: No such file or directory");
  const auto directory = open_file("/");
  ASSERT_TRUE(directory);
  EXPECT_EQ(read_all(**directory), "!cannot be read: Is a directory");
}

}  // namespace
}  // namespace berth::traces::bytes_test
