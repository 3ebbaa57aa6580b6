#include "proxy/transfer.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstring>

#include "berth/base/check.h"
#include "proxy/headers.h"

namespace berth::proxy {
namespace {

static_assert(CURL_ERROR_SIZE <= 256);

constexpr std::size_t kMostHeaders = 200;  // of an answer
// libcurl gives each request a buffer.
constexpr long kCallBytes = 16 << 10;
constexpr long kStreamBytes = 64 << 10;

bool is_write(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

CURL* new_easy() {
  CURL* const easy = curl_easy_init();
  BERTH_CHECK(easy != nullptr);
  return easy;
}

// "HTTP/1.1 200 OK" -> 200.
int status_of(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return 0;
  return static_cast<int>(parse_length(line.substr(blank + 1, 3)).value_or(0));
}

}  // namespace

// libcurl's callbacks.
struct TransferCallbacks {
  static Transfer& self(void* user) { return *static_cast<Transfer*>(user); }

  static std::size_t on_header(char* bytes, std::size_t, std::size_t size, void* user) {
    return self(user).take_header_line({bytes, size}) ? size : 0;
  }

  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* user) {
    Transfer& transfer = self(user);
    if (transfer.events_.is_full()) {
      transfer.is_answer_paused_ = true;
      return CURL_WRITEFUNC_PAUSE;
    }
    transfer.events_.on_upstream_body({bytes, size});
    return size;
  }

  static int before_request(void* user, char*, char*, int, int) {
    return self(user).events_.may_be_sent() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
  }

  static std::size_t read_body(char* into, std::size_t, std::size_t room, void* user) {
    Transfer& transfer = self(user);
    if (!transfer.events_.may_be_sent()) return CURL_READFUNC_ABORT;
    std::string& bytes = transfer.body_.bytes;
    const std::size_t size = std::min(room, bytes.size() - transfer.sent_);
    if (size == 0 && transfer.body_.is_whole) return 0;
    if (size == 0) {
      transfer.is_body_paused_ = true;
      return CURL_READFUNC_PAUSE;
    }
    std::memcpy(into, bytes.data() + transfer.sent_, size);
    transfer.sent_ += size;
    if (transfer.sent_ == bytes.size()) {
      bytes.clear();
      transfer.sent_ = 0;
    }
    transfer.events_.on_body_taken(size);
    return size;
  }
};

Transfer::Transfer(UpstreamClient& upstream, const Request& request, RequestBody body,
                   TransferEvents& events)
    : upstream_(upstream),
      events_(events),
      body_(std::move(body)),
      is_call_(is_write(request.method) && body_.is_whole),
      easy_(new_easy()) {
  upstream_.configure(easy_, request.target, is_call_);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, failure_.data());
  curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, is_call_ ? kCallBytes : kStreamBytes);
  curl_easy_setopt(easy_, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, TransferCallbacks::on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, TransferCallbacks::on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, TransferCallbacks::before_request);
  curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
  set_headers(request);
  set_body(request.method);
  ++upstream_.state().gauges.transfers_open;
}

Transfer::~Transfer() {
  if (pool_ != nullptr) pool_->remove(easy_);
  curl_easy_cleanup(easy_);
  curl_slist_free_all(lines_);
  --upstream_.state().gauges.transfers_open;
}

void Transfer::add_line(const std::string& line) {
  curl_slist* const longer = curl_slist_append(lines_, line.c_str());
  BERTH_CHECK(longer != nullptr);
  lines_ = longer;
}

// A line without value leaves out what libcurl would add by itself.
void Transfer::set_headers(const Request& request) {
  const ProxyState& state = upstream_.state();
  for (const Header& header : request.headers) {
    if (state.options.has_token && names_caller(header)) continue;  // VIEW-8
    add_line(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  for (const char* name : {"accept", "content-type", "user-agent"}) {
    if (!find_header(request.headers, name)) add_line(std::string(name) + ":");
  }
  if (!state.authorization.empty()) add_line(state.authorization);
  add_line("expect:");
  if (!upstream_.host().empty()) add_line("host: " + upstream_.host());
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, lines_);
}

void Transfer::set_body(const std::string& method) {
  if (method == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
    return;
  }
  if (!body_.is_whole) {
    curl_easy_setopt(easy_, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy_, CURLOPT_READFUNCTION, TransferCallbacks::read_body);
    curl_easy_setopt(easy_, CURLOPT_READDATA, this);
    curl_easy_setopt(easy_, CURLOPT_INFILESIZE_LARGE,
                     body_.length ? static_cast<curl_off_t>(*body_.length) : curl_off_t{-1});
  } else if (is_write(method) || !body_.bytes.empty()) {
    curl_easy_setopt(easy_, CURLOPT_POST, 1L);
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(body_.bytes.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, body_.bytes.c_str());  // not copied
  }
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, method.c_str());
}

bool Transfer::start() {
  CurlPool& pool = upstream_.choose_pool(is_call_);
  if (!pool.add(easy_, *this)) return false;
  pool_ = &pool;
  return true;
}

void Transfer::resume() {
  if (pool_ == nullptr || !is_answer_paused_) return;
  is_answer_paused_ = false;
  unpause();
}

void Transfer::add_body(std::string_view bytes) {
  body_.bytes += bytes;
  if (pool_ == nullptr || !is_body_paused_) return;
  is_body_paused_ = false;
  unpause();
}

void Transfer::end_body() {
  body_.is_whole = true;
  add_body({});
}

// libcurl sets both directions at once.
void Transfer::unpause() {
  curl_easy_pause(
      easy_, (is_answer_paused_ ? CURLPAUSE_RECV : 0) | (is_body_paused_ ? CURLPAUSE_SEND : 0));
}

// False ends the transfer. Interim answers (1xx) and trailers are dropped.
bool Transfer::take_header_line(std::string_view line) {
  if (has_head_) return true;
  if (line.starts_with("HTTP/")) {
    status_ = status_of(line);
    headers_.clear();
  } else if (line == "\r\n" || line == "\n") {
    if (status_ < 200) return status_ >= 100;
    has_head_ = true;
    events_.on_upstream_head(status_, std::move(headers_));
  } else if (auto header = parse_header_line(line)) {
    if (headers_.size() == kMostHeaders) return false;
    if (passes_downstream(*header)) headers_.push_back(std::move(*header));
  }
  return true;
}

void Transfer::on_done(int code) {
  pool_ = nullptr;
  if (code == CURLE_OK && has_head_) {
    events_.on_upstream_done();
    return;
  }
  const char* const cause =
      failure_[0] != '\0' ? failure_.data() : curl_easy_strerror(static_cast<CURLcode>(code));
  events_.on_upstream_failure(upstream_.server() + ": " + cause);
}

}  // namespace berth::proxy
