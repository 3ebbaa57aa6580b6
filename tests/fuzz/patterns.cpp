// Regular expressions of HyperNodes: the first line, looked for in the rest.
#include "berth/base/pattern.h"

#include <algorithm>

#include "fuzz/fuzz.h"

namespace berth::fuzz {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string expression(input.substr(0, end));
  const std::string_view text = input.substr(end);
  const Result<Pattern> pattern = Pattern::parse(expression);
  if (!pattern) {
    expect_readable(pattern.error(), expression);
    return 0;
  }
  const bool is_in = pattern->is_in(text);
  const Result<Pattern> grouped = Pattern::parse("(?:" + expression + ")");
  BERTH_CHECK(!grouped || grouped->is_in(text) == is_in);
  const Result<Pattern> either = Pattern::parse("x{1000}|" + expression);
  BERTH_CHECK(!is_in || !either || either->is_in(text));
  return 0;
}

}  // namespace berth::fuzz
