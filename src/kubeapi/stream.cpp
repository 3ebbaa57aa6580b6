#include "kubeapi/stream.h"

#include <algorithm>
#include <utility>

#include "berth/base/text.h"

namespace berth::kubeapi {

namespace {

constexpr long kBufferBytes = 64 << 10;
constexpr Duration kLongestPoll = std::chrono::minutes(1);

// Of the one transfer, which has ended.
CURLcode result_of(CURLM* multi) {
  int left = 0;
  const CURLMsg* const message = curl_multi_info_read(multi, &left);
  return message != nullptr ? message->data.result : CURLE_FAILED_INIT;
}

}  // namespace

Stream::Stream(const ApiServer& api, const Request& request, const Transport::OnBytes& on_bytes,
               std::stop_token stop)
    : ApiTransfer(api, request, curl::Connections::own),
      on_bytes_(on_bytes),
      stop_(std::move(stop)) {
  curl_easy_setopt(easy(), CURLOPT_BUFFERSIZE, kBufferBytes);
}

void Stream::on_head(int status, curl::Headers headers) {
  ApiTransfer::on_head(status, std::move(headers));
  is_read_ = status == 200 && !is_foreign_answer();
  head_at_ = std::chrono::steady_clock::now();
  has_news_ = true;
}

curl::Transfer::Taken Stream::on_body(std::string_view bytes) {
  has_news_ = true;
  if (stop_.stop_requested()) return Taken::never;
  if (!is_read_) return keep(bytes);
  const Status taken = on_bytes_(bytes);
  if (taken) return Taken::whole;
  set_failure(taken.error().message);
  return Taken::never;
}

// Returns why the stream did not end well, or nothing.
std::string Stream::read(CURLM* multi) {
  auto since = std::chrono::steady_clock::now();
  while (!stop_.stop_requested()) {
    int running = 0;
    curl_multi_perform(multi, &running);
    if (running == 0) return failure(result_of(multi));
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(has_news_, false)) since = now;
    const Duration most = is_read_ ? request_.idle_timeout : request_.deadline;
    const Duration left = most - Duration(now - since);
    if (left <= Duration::zero()) {
      is_silent_ = is_read_;
      return (has_head() ? "no byte within " : "no answer within ") + format_duration(most);
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(std::min(left, kLongestPoll));
    curl_multi_poll(multi, nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
  return "cancelled";
}

Response Stream::run(CURLM* multi) {
  const std::stop_callback wake(stop_, [multi] { curl_multi_wakeup(multi); });
  curl_multi_add_handle(multi, easy());
  std::string why = read(multi);
  curl_multi_remove_handle(multi, easy());
  if (!is_read_) return answer(has_head() ? "" : std::move(why));  // as far as its body came
  Response response;
  response.status = head_.status;
  response.error = std::move(why);
  response.is_silent = is_silent_;
  response.since_head = std::chrono::steady_clock::now() - head_at_;
  return response;
}

}  // namespace berth::kubeapi
