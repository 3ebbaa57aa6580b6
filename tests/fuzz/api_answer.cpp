// An answer of an API server, or of something else at its address: a line of header, then a body.
#include "kubeapi/answer.h"

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "kubeapi/access.h"
#include "kubeapi/base64.h"
#include "kubeapi/json_text.h"

namespace berth::fuzz {
namespace {

constexpr std::size_t kShownMost = 400;

void expect_shown(const std::string& text, std::string_view input) {
  BERTH_CHECK(!is_utf8(input) || is_utf8(text));
}

void read_head(std::string_view line, const std::string& body) {
  using namespace kubeapi;
  const std::string why = not_expected(Format::json, line, body);
  BERTH_CHECK(why.size() <= line.size() + kShownMost);
  const std::string first = first_characters(body);
  BERTH_CHECK(first.size() <= 90 && first.find_first_of("\n\r\x1b") == first.npos);
  expect_shown(first, body);
  if (const auto wait = retry_after(line)) {
    BERTH_CHECK(*wait >= Duration::zero() && *wait <= std::chrono::hours(1));
  }
  for (const Format format : {Format::json, Format::protobuf}) {
    BERTH_CHECK(!is_foreign({500, {}, std::string(line)}, format));
    (void)is_foreign({200, {}, std::string(line)}, format);
  }
}

void read_body(const std::string& body) {
  const kubeapi::Response response{403, body, "", false, {}};
  expect_shown(response.to_string(), body);
  BERTH_CHECK(response.to_string().size() <= 3 * body.size() + kShownMost);
  const nlohmann::json json = kubeapi::read_json(body);
  BERTH_CHECK(kubeapi::text_at(json, "/status/token").size() <= body.size());
  (void)kubeapi::integer_at(json, "/spec/leaseDurationSeconds");
  if (!json.is_discarded()) {
    const std::string written = kubeapi::json_text(nlohmann::ordered_json(json));
    BERTH_CHECK(kubeapi::read_json(written) == json);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input = view_of(bytes, size);
  const std::string_view line = input.substr(0, input.find('\n'));
  const std::string body(input.substr(std::min(line.size() + 1, size)));
  read_head(line, body);
  read_body(body);
  const auto decoded = kubeapi::decode_base64(body);
  BERTH_CHECK(!decoded || decoded->size() <= body.size() / 4 * 3);
  (void)kubeapi::server_url_error(body);
  (void)kubeapi::token_error(body);
  return 0;
}

}  // namespace berth::fuzz
