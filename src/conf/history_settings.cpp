#include "conf/history_settings.h"

#include "berth/model/quantity.h"
#include "conf/known_keys.h"

namespace berth::conf {

namespace {

constexpr std::int64_t kLeast = std::int64_t{4} << 20;
constexpr std::int64_t kMost = std::int64_t{1} << 40;

}  // namespace

void read_history(document::Reading& reading, const document::Cursor& from, HistorySettings& to) {
  require_known_keys(reading, from, "history");
  to.directory = from["directory"].text();
  if (from.is_present() && to.directory.empty()) {
    from.complain("`directory` is missing, expected a path");
  }
  if (!from["size"].is_present()) return;
  const std::string text = from["size"].scalar();
  const Result<std::int64_t> size = parse_quantity(text, Scale::one, kMost);
  if (!size || *size < kLeast) {
    return from["size"].complain("\"" + text + "\" is no amount from 4Mi to 1Ti");
  }
  to.bytes = static_cast<std::uint64_t>(*size);
}

}  // namespace berth::conf
