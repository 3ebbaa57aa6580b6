#include "protobuf/frames.h"

#include <gtest/gtest.h>

#include <random>

#include "support/damage.h"

namespace berth::protobuf {
namespace {

using Texts = std::vector<std::string>;

std::string frame_of(std::size_t size, char fill) {
  std::string frame;
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(size >> shift & 0xff);
  return frame + std::string(size, fill);
}

// Collects frames; takes no more after an Error.
class Taker {
 public:
  explicit Taker(std::size_t most = std::size_t{16} << 20) : frames_(most) {}

  bool take(std::string_view bytes) {
    const Status status = frames_.take(bytes, [&](std::string_view frame) -> Status {
      texts.emplace_back(frame);
      return Done{};
    });
    if (!status) error = status.error().to_string();
    return static_cast<bool>(status);
  }

  Texts texts;
  std::string error;

 private:
  Frames frames_;
};

TEST(FramesTest, AreTheSameHoweverTheBytesAreCut) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Texts expected;
    std::string bytes;
    for (unsigned i = 0; i < 1 + random() % 8; ++i) {
      const std::size_t size = random() % 5 == 0 ? random() % 3000 : random() % 6;
      expected.push_back(frame_of(size, static_cast<char>(random() % 256)));
      bytes += expected.back();
    }
    const std::size_t most = round % 2 == 0 ? 4 : 2000;
    Taker taker;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = std::min<std::size_t>(bytes.size() - at, random() % most);
      ASSERT_TRUE(taker.take(std::string_view(bytes).substr(at, size)));
      at += size;
    }
    ASSERT_EQ(taker.texts, expected) << round;
  }
}

TEST(FramesTest, ThatAreTooLongAreRefusedBeforeTheyAreKept) {
  for (const std::size_t size : {101U, 256U, 65'536U, 1U << 24}) {
    Taker taker(100);
    EXPECT_TRUE(taker.take(frame_of(100, 'x') + frame_of(size, 'x').substr(0, 3)));
    EXPECT_FALSE(taker.take(frame_of(size, 'x').substr(3, 1)));
    EXPECT_EQ(taker.error, "an event of " + std::to_string(size) + " bytes, expected at most 100");
    EXPECT_EQ(taker.texts.size(), 1U);
  }
  Taker taker;
  EXPECT_FALSE(taker.take("\xff\xff\xff\xff"));
}

TEST(FramesTest, EndAtTheErrorOfTheirReader) {
  int frames = 0;
  const Status status = Frames().take(frame_of(1, 'a') + frame_of(1, 'b'), [&](auto) -> Status {
    ++frames;
    return Error{"enough", ""};
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "enough");
  EXPECT_EQ(frames, 1);
}

TEST(FramesTest, ThatAreDamagedAreCutOrRefused) {
  const std::string bytes = frame_of(3, 'a') + frame_of(0, 'b') + frame_of(300, 'c');
  std::mt19937 random(11);
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const std::string damaged = support::Damage(seed).of(bytes);
    Taker whole, cut;
    const bool is_taken = whole.take(damaged);
    const std::size_t at = random() % (damaged.size() + 1);
    const bool is_first_taken = cut.take(damaged.substr(0, at));
    EXPECT_EQ(is_first_taken && cut.take(damaged.substr(at)), is_taken) << seed;
    EXPECT_EQ(whole.texts, cut.texts) << seed;
  }
}

}  // namespace
}  // namespace berth::protobuf
