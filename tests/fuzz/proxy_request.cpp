// The header of a client's request, a line for each field, and the query of its target.
#include "curl/headers.h"
#include "fuzz/fuzz.h"
#include "proxy/headers.h"
#include "proxy/query.h"

namespace berth::fuzz {
namespace {

using namespace proxy;

void expect_clean(const Request& request) {
  for (const char c : request.target) {
    BERTH_CHECK(static_cast<unsigned char>(c) > 0x20 && c != 0x7f && c != '#');
  }
  std::string_view path = request.target;
  path = next_part(path, '?');
  BERTH_CHECK(path.starts_with('/') && path.find("//") == path.npos);
  BERTH_CHECK(path.find("/../") == path.npos && path.find('%') == path.npos);
  for (const Header& header : request.headers) {
    BERTH_CHECK(header.value.find_first_of("\r\n") == header.value.npos);
    BERTH_CHECK(!header.name.empty() && !header.name.starts_with("x-remote-"));
    BERTH_CHECK(header.name.find_first_of(": \r\n") == header.name.npos);
    BERTH_CHECK(header.name != "host" && header.name != "transfer-encoding");
    // Over HTTP/1 it is the same header again.
    const auto same = curl::parse_header_line(header.name + ": " + header.value + "\r\n");
    BERTH_CHECK(same && same->name == header.name);
  }
}

void ask(std::string_view target) {
  for (const std::string_view name : {"watch", "resourceVersion", "a"}) {
    const auto value = query_value(target, name);
    const std::string changed = with_query_value(target, name, "9");
    BERTH_CHECK(query_value(changed, name) == (value ? std::optional<std::string>("9") : value));
    BERTH_CHECK(query_value(changed, "other") == query_value(target, "other"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view input = view_of(bytes, size);
  HeaderBlock block(1'000, 20);
  while (!input.empty()) {
    std::string_view line = next_part(input, '\n');
    if (const auto header = curl::parse_header_line(line)) {
      BERTH_CHECK(curl::is_header_name(header->name) && curl::is_header_value(header->value));
    }
    ask(line);
    const std::string_view name = line.substr(0, line.find(' '));
    block.add(name, line.substr(name.size() + (name.size() < line.size() ? 1 : 0)));
  }
  Request request;
  const Refusal refusal = block.finish(request);
  BERTH_CHECK(refusal.status == 0 || (refusal.status >= 400 && !refusal.why.empty()));
  if (refusal.status == 0) expect_clean(request);
  return 0;
}

}  // namespace berth::fuzz
