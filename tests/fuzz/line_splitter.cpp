// A watch in JSON cut into lines: any cut of its bytes gives the same ones.
#include "kubeapi/line_splitter.h"

#include "fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

constexpr std::size_t kMost = 64;

std::string read(const std::vector<std::string_view>& pieces) {
  kubeapi::LineSplitter splitter(kMost);
  std::string lines;
  for (const std::string_view piece : pieces) {
    const bool goes_on = splitter.feed(piece, [&](std::string_view line) {
      BERTH_CHECK(!line.empty() && line.size() <= kMost && line.find('\n') == line.npos);
      lines.append(line).append("\n");
    });
    if (!goes_on) return lines + "too long";
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  const std::string whole = read({input});
  BERTH_CHECK(whole.size() <= size + 1 + std::string_view("too long").size());
  BERTH_CHECK(read(pieces_of(input)) == whole);
  return 0;
}

}  // namespace berth::fuzz
