#include "kubeapi/curl_call.h"

#include <curl/curl.h>

#include <utility>

#include "berth/base/check.h"
#include "kubeapi/answer.h"

namespace berth::kubeapi {

namespace {

static_assert(CURL_ERROR_SIZE <= 256);

CURL* new_easy() {
  CURL* const easy = curl_easy_init();
  BERTH_CHECK(easy != nullptr);
  return easy;
}

std::string header_of(CURL* easy, const char* name) {
  curl_header* found = nullptr;
  return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
}

}  // namespace

// libcurl's callbacks.
struct CurlCallbacks {
  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* user) {
    return static_cast<CurlCall*>(user)->take_body({bytes, size}) ? size : CURL_WRITEFUNC_ERROR;
  }

  static CURLcode on_tls(CURL*, void* context, void* user) {
    CurlCall& call = *static_cast<CurlCall*>(user);
    const Status set_up = call.server_->set_up(static_cast<ssl_ctx_st*>(context));
    if (set_up) return CURLE_OK;
    call.own_failure_ = set_up.error().to_string();
    return CURLE_SSL_CERTPROBLEM;
  }

  // On the connection that the request goes to, when it is open; again if that turns out to be
  // dead.
  static int before_request(void* user, char*, char*, int, int) {
    CurlCall& call = *static_cast<CurlCall*>(user);
    if (call.may_go_on()) return CURL_PREREQFUNC_OK;
    call.own_failure_ = kTermIsOver;
    return CURL_PREREQFUNC_ABORT;
  }

  static curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
    const int made = static_cast<CurlSockets*>(user)->open(address->family, address->socktype,
                                                           address->protocol);
    return made < 0 ? CURL_SOCKET_BAD : made;
  }

  static int close_socket(void* user, curl_socket_t socket) {
    return static_cast<CurlSockets*>(user)->close(socket);
  }
};

CurlCall::CurlCall(std::uint64_t id, std::shared_ptr<const CurlServer> server, CurlSockets& sockets,
                   const ports::Leadership* leadership, const Request& request,
                   std::shared_ptr<AnswerSink> sink)
    : id_(id),
      server_(std::move(server)),
      sockets_(sockets),
      term_(needs_term(request) ? std::optional(ports::Term(leadership, request.epoch))
                                : std::nullopt),
      sink_(std::move(sink)),
      method_(request.method),
      body_(request.body),
      easy_(new_easy()),
      lines_(server_->headers(request)) {
  server_->configure(easy_, request);
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, lines_);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, failure_.data());
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, CurlCallbacks::on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, CurlCallbacks::before_request);
  curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(easy_, CURLOPT_SSL_CTX_FUNCTION, CurlCallbacks::on_tls);
  curl_easy_setopt(easy_, CURLOPT_SSL_CTX_DATA, this);
  curl_easy_setopt(easy_, CURLOPT_OPENSOCKETFUNCTION, CurlCallbacks::open_socket);
  curl_easy_setopt(easy_, CURLOPT_OPENSOCKETDATA, &sockets_);
  curl_easy_setopt(easy_, CURLOPT_CLOSESOCKETFUNCTION, CurlCallbacks::close_socket);
  curl_easy_setopt(easy_, CURLOPT_CLOSESOCKETDATA, &sockets_);
  set_body();
}

CurlCall::~CurlCall() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(lines_);
}

// API-2: libcurl sends a body in memory again, on another connection, if one that was kept turns
// out to be closed and nothing of an answer has come. The server may still have carried the request
// out. A Binding then gets 409, after which ApiWriter looks at the pod; decision 22 has the others.
void CurlCall::set_body() {
  if (method_ == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
    return;
  }
  if (!body_.empty() || (method_ != "GET" && method_ != "DELETE")) {
    curl_easy_setopt(easy_, CURLOPT_POST, 1L);
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, body_.c_str());  // not copied
  }
  curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, method_.c_str());
}

bool CurlCall::uses_http2() const {
  long version = 0;
  curl_easy_getinfo(easy_, CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_2_0;
}

int CurlCall::local_port() const {
  long port = 0;
  curl_easy_getinfo(easy_, CURLINFO_LOCAL_PORT, &port);
  return static_cast<int>(port);
}

void CurlCall::break_silent_connection() {
  if (server_->may_share() && !has_head_) sockets_.break_if_silent(local_port(), began_);
}

void CurlCall::begin_answer() {
  if (std::exchange(has_head_, true)) return;
  if (server_->may_share()) sockets_.note_answer(local_port(), std::chrono::steady_clock::now());
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  sink_->head({static_cast<int>(status), retry_after(header_of(easy_, "Retry-After")),
               header_of(easy_, "Content-Type")});
}

bool CurlCall::take_body(std::string_view bytes) {
  begin_answer();
  bool goes_on = false;
  sink_->body(bytes, [&goes_on](bool go_on) { goes_on = go_on; });  // within this call
  if (!goes_on) own_failure_ = "given up";
  return goes_on;
}

void CurlCall::finish(int code) {
  if (code == CURLE_OK) {
    begin_answer();
    sink_->end({});
    return;
  }
  long system_error = 0;
  curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &system_error);
  sink_->end(own_failure_.empty() ? server_->explain(code, failure_.data(), system_error)
                                  : own_failure_);
}

}  // namespace berth::kubeapi
