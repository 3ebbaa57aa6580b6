#include "curl/transfer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

#include "berth/base/check.h"

namespace berth::curl {

namespace {

constexpr std::size_t kMostHeaders = 200;  // of an answer
constexpr unsigned kSilenceMs = 45'000;

CURL* new_easy() {
  CURL* const easy = curl_easy_init();
  BERTH_CHECK(easy != nullptr);
  return easy;
}

}  // namespace

// libcurl's callbacks.
struct TransferCallbacks {
  static Transfer& self(void* user) { return *static_cast<Transfer*>(user); }

  static std::size_t on_header(char* bytes, std::size_t, std::size_t size, void* user) {
    return self(user).take_header_line({bytes, size}) ? size : 0;
  }

  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* user) {
    switch (self(user).on_body({bytes, size})) {
      case Transfer::Taken::whole:
        return size;
      case Transfer::Taken::later:
        return CURL_WRITEFUNC_PAUSE;
      default:
        return CURL_WRITEFUNC_ERROR;
    }
  }

  static int before_request(void* user, char*, char*, int, int) {
    return self(user).may_be_sent() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
  }

  static CURLcode on_tls(CURL*, void* context, void* user) {
    const Status set_up = self(user).server_.set_up(static_cast<ssl_ctx_st*>(context));
    if (set_up) return CURLE_OK;
    self(user).set_failure(set_up.error().to_string());
    return CURLE_SSL_CERTPROBLEM;
  }

  static curl_socket_t open(void*, curlsocktype, curl_sockaddr* address) {
    return open_socket(*address);
  }
};

Transfer::Transfer(const Server& server, std::string_view target, Connections connections)
    : server_(server), easy_(new_easy()) {
  server_.configure(easy_, target, connections);
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, failure_.data());
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, TransferCallbacks::on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, TransferCallbacks::on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, TransferCallbacks::before_request);
  curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(easy_, CURLOPT_SSL_CTX_FUNCTION, TransferCallbacks::on_tls);
  curl_easy_setopt(easy_, CURLOPT_SSL_CTX_DATA, this);
  curl_easy_setopt(easy_, CURLOPT_OPENSOCKETFUNCTION, TransferCallbacks::open);
  add_line("Expect:");
  if (!server_.host().empty()) add_line("Host: " + server_.host());
}

Transfer::~Transfer() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(lines_);
}

bool Transfer::uses_http2() const {
  long version = 0;
  curl_easy_getinfo(easy_, CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_2_0;
}

int Transfer::local_port() const {
  long port = 0;
  curl_easy_getinfo(easy_, CURLINFO_LOCAL_PORT, &port);
  return static_cast<int>(port);
}

void Transfer::add_line(const std::string& line) {
  curl_slist* const longer = curl_slist_append(lines_, line.c_str());
  BERTH_CHECK(longer != nullptr);
  lines_ = longer;
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, lines_);
}

void Transfer::set_request(const std::string& method, const std::string& body) {
  if (method == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
    return;
  }
  if (is_write(method) || !body.empty()) {
    curl_easy_setopt(easy_, CURLOPT_POST, 1L);
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, body.c_str());  // not copied
  }
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, method.c_str());
}

std::string Transfer::failure(CURLcode code) const {
  if (code == CURLE_OK) return has_head_ ? "" : "no answer";
  if (!own_failure_.empty()) return own_failure_;
  long system_error = 0;
  curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &system_error);
  return server_.explain(code, failure_.data(), system_error);
}

// False ends the transfer. Interim answers (1xx) and trailers are dropped.
bool Transfer::take_header_line(std::string_view line) {
  if (has_head_) return true;
  if (line.starts_with("HTTP/")) {
    headers_.clear();
  } else if (line == "\r\n" || line == "\n") {
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) return status >= 100;
    has_head_ = true;
    on_head(static_cast<int>(status), std::move(headers_));
  } else if (auto header = parse_header_line(line)) {
    if (headers_.size() == kMostHeaders) return false;
    headers_.push_back(std::move(*header));
  }
  return true;
}

bool is_write(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

curl_socket_t open_socket(const curl_sockaddr& address) {
  const int made = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (made < 0) return CURL_SOCKET_BAD;
  static_cast<void>(
      ::setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &kSilenceMs, sizeof kSilenceMs));
  return made;
}

CURLM* new_multi() {
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  CURLM* const multi = is_ready ? curl_multi_init() : nullptr;
  BERTH_CHECK(multi != nullptr);
  return multi;
}

}  // namespace berth::curl
