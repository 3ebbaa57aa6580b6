// A watch of pods as kube-scheduler gets it: any cut of the stream gives the same bytes.
#include "podview/pod_stream.h"
#include "fuzz/fuzz.h"
#include "fuzz/pod_view.h"

namespace berth::fuzz {
namespace {

using podview::PodStream;

struct Outcome {
  std::string bytes;
  std::string error;
  std::string version;
  bool operator==(const Outcome&) const = default;
};

Outcome read(PodStream stream, const std::vector<std::string_view>& pieces) {
  Outcome outcome;
  std::size_t taken = 0;
  stream.follow(shown_pods(), outcome.bytes);
  for (const std::string_view piece : pieces) {
    const Status status = stream.take(piece, outcome.bytes);
    taken += piece.size();
    BERTH_CHECK(stream.memory().bytes() <= 100 * taken);
    if (status) continue;
    outcome.error = status.error().to_string();
    break;
  }
  stream.follow(no_pods(), outcome.bytes);
  stream.follow(shown_pods(), outcome.bytes);
  outcome.version = stream.version_seen();
  return outcome;
}

// Each frame that kube-scheduler gets is one that can be read.
void expect_frames(std::string_view bytes) {
  std::size_t size = 0;
  protobuf::Frames frames;
  const Status status = frames.take(bytes, [&](std::string_view frame) -> Status {
    podview::SeenEvent event;
    size += frame.size();
    return podview::read_event(frame, event);
  });
  BERTH_CHECK(status && size == bytes.size());
}

// No pod waits for such a client, so all frames pass as they came.
void expect_untouched(std::string_view input) {
  const Outcome outcome = read(PodStream::fresh({}, calls()), {input});
  BERTH_CHECK(input.starts_with(outcome.bytes));
}

void read_window(std::string_view input) {
  PodStream stream = PodStream::fresh(managed(), calls());
  std::string bytes;
  protobuf::Frames frames;
  stream.follow(shown_pods(), bytes);
  (void)frames.take(input,
                    [&](std::string_view frame) { return stream.take_of_all(frame, bytes); });
  expect_frames(bytes);
  PodStream next = PodStream::listing(podview::Memory::listing_again(std::move(stream).end()),
                                      managed(), calls());
  bytes.clear();
  next.follow(shown_pods(), bytes);
  (void)next.take(input, bytes);
  expect_frames(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  const Outcome whole = read(PodStream::fresh(managed(), calls()), {input});
  expect_frames(whole.bytes);
  BERTH_CHECK(read(PodStream::fresh(managed(), calls()), pieces_of(input)) == whole);
  const Outcome list = read(PodStream::listing({}, managed(), calls()), {input});
  expect_frames(list.bytes);
  BERTH_CHECK(read(PodStream::listing({}, managed(), calls()), pieces_of(input)) == list);
  expect_untouched(input);
  read_window(input);
  return 0;
}

}  // namespace berth::fuzz
