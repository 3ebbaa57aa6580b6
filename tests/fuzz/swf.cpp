// A trace in the Standard Workload Format, plain or packed: in pieces, and with bad lines left out.
#include "traces/swf.h"

#include <algorithm>

#include "fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

using traces::SwfOptions;
using traces::Trace;

// A source that gives out a piece at a time.
class Pieces final : public traces::ByteSource {
 public:
  explicit Pieces(std::vector<std::string_view> pieces) : pieces_(std::move(pieces)) {}
  Result<std::size_t> read(std::span<char> to) override {
    while (next_ < pieces_.size() && pieces_[next_].empty()) ++next_;
    if (next_ == pieces_.size()) return std::size_t{0};
    const std::size_t size = pieces_[next_].copy(to.data(), to.size());
    pieces_[next_].remove_prefix(size);
    return size;
  }

 private:
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
};

Result<Trace> read(std::vector<std::string_view> pieces, bool skips) {
  SwfOptions options;
  options.skip_bad_lines = skips;
  Pieces bytes(std::move(pieces));
  return traces::read_swf(bytes, "f", options);
}

void expect_sound(const Trace& trace) {
  const Duration most = std::chrono::seconds(traces::kSecondsMost);
  Duration last{0};
  for (const traces::TraceJob& job : trace.jobs) {
    BERTH_CHECK(job.submit >= last && job.submit <= most);
    BERTH_CHECK(job.run >= Duration{0} && job.run <= most);
    BERTH_CHECK(job.processors >= 1 && job.processors <= traces::kProcessorsMost);
    BERTH_CHECK(!job.limit || job.run <= *job.limit);
    BERTH_CHECK(!job.cancelled_after || job.run == Duration{0});
    last = job.submit;
  }
}

// Packed input may be a thousand times longer than its bytes, and so may a complaint about it.
void expect_error(const Error& error, std::string_view input) {
  const std::string_view shown = input.starts_with("\x1f\x8b") ? std::string_view() : input;
  expect_readable(error, shown);
  BERTH_CHECK(error.where.starts_with("f:"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  for (const bool skips : {false, true}) {
    const auto whole = read({input}, skips);
    const auto parts = read(pieces_of(input), skips);
    BERTH_CHECK(whole.has_value() == parts.has_value());
    if (!whole) {
      expect_error(whole.error(), input);
      BERTH_CHECK(same_error(whole.error(), parts.error()));
      continue;
    }
    expect_sound(*whole);
    BERTH_CHECK(whole->jobs == parts->jobs);
    BERTH_CHECK(whole->skipped.bad == parts->skipped.bad);
    BERTH_CHECK(skips || whole->skipped.bad == 0);
    for (const Error& error : whole->skipped.first) expect_error(error, input);
  }
  return 0;
}

}  // namespace berth::fuzz
