// A watch cut into frames: any cut of its bytes gives the same ones.
#include "fuzz/fuzz.h"
#include "protobuf/frames.h"

namespace berth::fuzz {
namespace {

constexpr std::size_t kMost = 1 << 10;

struct Outcome {
  std::vector<std::string> frames;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

Outcome read(const std::vector<std::string_view>& pieces) {
  protobuf::Frames frames(kMost);
  Outcome outcome;
  for (const std::string_view piece : pieces) {
    const Status status = frames.take(piece, [&](std::string_view frame) -> Status {
      const std::string_view content = protobuf::content_of(frame);
      BERTH_CHECK(content.size() + protobuf::kFrameHeader == frame.size());
      BERTH_CHECK(content.size() <= kMost);
      outcome.frames.emplace_back(frame);
      if (content.starts_with("stop")) return Error{"stopped", ""};
      return Done{};
    });
    if (status) continue;
    outcome.error = status.error().to_string();
    break;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  const Outcome whole = read({input});
  std::string joined;
  for (const std::string& frame : whole.frames) joined += frame;
  BERTH_CHECK(input.starts_with(joined));
  BERTH_CHECK(read(pieces_of(input)) == whole);
  return 0;
}

}  // namespace berth::fuzz
