#include "http/http_client.h"

#include <atomic>
#include <exception>
#include <mutex>

#include "http/client_stream.h"
#include "http/reply_parser.h"

namespace berth::http {
namespace {

constexpr std::size_t kReplyReadBytes = 64 << 10;

struct Received {
  Reply reply;
  bool can_reuse = false;
};

Result<Received> receive(ClientStream& stream, bool is_head, Deadline deadline) {
  ReplyParser parser(is_head);
  std::string buffer(kReplyReadBytes, '\0');
  for (bool is_complete = false; !is_complete;) {
    const auto count = stream.read(buffer.data(), kReplyReadBytes, deadline);
    if (!count) return count.error();
    if (*count == 0) {
      if (const Status ended = parser.end(); !ended) return ended.error();
      break;
    }
    const Result<bool> fed = parser.feed({buffer.data(), *count});
    if (!fed) return fed.error();
    is_complete = *fed;
  }
  const bool can_reuse = parser.can_reuse();
  return Received{parser.take(), can_reuse};
}

}  // namespace

class HttpClient::Pool {
 public:
  Pool(ClientOptions options_in, std::unique_ptr<ClientTarget> target_in)
      : options(std::move(options_in)), target(std::move(target_in)) {}

  // The most recently used idle connection that is still open, or null.
  std::unique_ptr<ClientStream> take_idle() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    while (!idle_.empty()) {
      Idle last = std::move(idle_.back());
      idle_.pop_back();
      if (now - last.since < options.idle_timeout && last.stream->is_usable()) {
        return std::move(last.stream);
      }
    }
    return nullptr;
  }

  void give_back(std::unique_ptr<ClientStream> stream) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < options.max_idle_connections) {
      idle_.push_back({std::move(stream), std::chrono::steady_clock::now()});
    }
  }

  Result<Reply> exchange(std::string_view request, bool is_head, Deadline deadline);

  const ClientOptions options;
  const std::unique_ptr<ClientTarget> target;  // before the streams, which refer to it
  std::atomic<std::uint64_t> opened = 0, reused = 0;

 private:
  struct Idle {
    std::unique_ptr<ClientStream> stream;
    Deadline since;
  };

  std::mutex mutex_;
  std::vector<Idle> idle_;
};

Result<Reply> HttpClient::Pool::exchange(std::string_view request, bool is_head,
                                         Deadline deadline) {
  for (;;) {
    std::unique_ptr<ClientStream> stream = take_idle();
    const bool is_reused = stream != nullptr;
    if (!is_reused) {
      auto connected = ClientStream::connect(*target, deadline);
      if (!connected) return connected.error();
      stream = std::move(*connected);
      ++opened;
    }
    std::size_t written = 0;
    const Status sent = stream->write(request, deadline, written);
    // It was closed while idle, and the server got no request.
    if (!sent && is_reused && written == 0) continue;
    if (is_reused) ++reused;
    // A server may refuse before it has read everything. Its reply then says more than the error.
    auto received = receive(*stream, is_head, deadline);
    if (!received) {
      if (!sent) return sent.error();
      return Error{received.error().message, options.url};
    }
    if (sent && received->can_reuse) give_back(std::move(stream));
    return std::move(received->reply);
  }
}

std::string_view Reply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

HttpClient::HttpClient(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}
HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::create(ClientOptions options) {
  auto target = ClientTarget::create(options);
  if (!target) return target.error();
  auto pool = std::make_unique<Pool>(std::move(options), std::move(*target));
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(pool)));
}

Result<Reply> HttpClient::get(std::string_view path, std::optional<Duration> timeout) {
  return exchange("GET", path, "", "", timeout);
}

Result<Reply> HttpClient::post(std::string_view path, std::string_view body,
                               std::optional<Duration> timeout) {
  return exchange("POST", path, "application/json", body, timeout);
}

Result<Reply> HttpClient::exchange(std::string_view method, std::string_view path,
                                   std::string_view content_type, std::string_view body,
                                   std::optional<Duration> timeout) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + timeout.value_or(pool_->options.timeout);
  std::string request;
  request.reserve(body.size() + 256);
  request.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: ");
  request.append(pool_->target->authority());
  request.append("\r\nUser-Agent: Go-http-client/1.1\r\n");
  if (!body.empty() || method == "POST") {
    request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  }
  if (!content_type.empty()) request.append("Content-Type: ").append(content_type).append("\r\n");
  request.append("Accept-Encoding: gzip\r\n\r\n").append(body);
  try {
    return pool_->exchange(request, method == "HEAD", deadline);
  } catch (const std::exception& failure) {
    return Error{std::string("cannot read the reply: ") + failure.what(), pool_->options.url};
  }
}

void HttpClient::abort() { pool_->target->abort(); }

ClientCounts HttpClient::counts() const { return {pool_->opened, pool_->reused}; }

}  // namespace berth::http
