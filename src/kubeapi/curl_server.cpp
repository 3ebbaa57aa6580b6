#include "kubeapi/curl_server.h"

#include <curl/curl.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "berth/base/check.h"
#include "kubeapi/client_tls.h"

namespace berth::kubeapi {

namespace {

// Less than the API server keeps an idle connection (90 s), so that it is not closed in our hands.
constexpr long kIdleSeconds = 60;
constexpr long kConnectMs = 10'000;

void add_line(curl_slist*& lines, const std::string& line) {
  curl_slist* const longer = curl_slist_append(lines, line.c_str());
  BERTH_CHECK(longer != nullptr);
  lines = longer;
}

// "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0" ->
// "tlsv13 alert certificate required".
std::string without_codes(const std::string& text) {
  const std::size_t reason = text.rfind("::");
  if (text.find("error:") >= reason || reason == std::string::npos) return text;
  return text.substr(reason + 2, text.find(", errno ") - reason - 2);
}

// libcurl keeps the first text only. This one is about a connection that the server has closed
// already, and hides the error that follows.
bool is_cause(const std::string& text) { return !text.empty() && !text.starts_with("getpeername"); }

// libcurl's error in the form that explain_failure() knows from cpprestsdk.
std::string in_words(CURLcode code, const std::string& text, long system_error) {
  const std::string cause = is_cause(text) ? without_codes(text) : curl_easy_strerror(code);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "Failed to resolve: " + cause;
    case CURLE_COULDNT_CONNECT:
      return "Failed to connect: " +
             (system_error != 0 ? std::strerror(static_cast<int>(system_error)) : cause);
    case CURLE_OPERATION_TIMEDOUT:  // only the connecting has a deadline of libcurl's
      return "Failed to connect: " + std::string(std::strerror(ETIMEDOUT));
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
      return "Error in SSL handshake: " + cause;
    default:
      return cause;
  }
}

}  // namespace

CurlServer::CurlServer(std::shared_ptr<Credentials> credentials, std::string user_agent,
                       bool shares_connections)
    : credentials_(std::move(credentials)),
      user_agent_(std::move(user_agent)),
      may_share_(shares_connections && credentials_->access().server.starts_with("https://")) {
  const Access& access = credentials_->access();
  const std::string authority = authority_of(access.server);
  const std::size_t host = authority.find("://") + 3;
  base_ = authority + "/";
  const std::size_t path = access.server.find('/', host);
  if (path != std::string::npos) prefix_ = access.server.substr(path);
  while (prefix_.ends_with('/')) prefix_.pop_back();
  const std::string& name = access.tls_server_name;
  if (name.empty()) return;
  // libcurl sends the name that the address has (SNI). So the address gets the certificate's name,
  // and libcurl connects elsewhere.
  host_ = authority.substr(host);
  const bool is_v6 = name.find(':') != std::string::npos;
  base_ = authority.substr(0, host) + (is_v6 ? "[" + name + "]" : name) +
          authority.substr(authority.rfind(':')) + "/";
  add_line(connect_to_, "::" + host_);
}

CurlServer::~CurlServer() { curl_slist_free_all(connect_to_); }

void CurlServer::configure(void* easy, const Request& request) const {
  curl_easy_setopt(easy, CURLOPT_URL, base_.c_str());
  curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, (prefix_ + request.path).c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");           // none from the environment either
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // it must not carry our token elsewhere
  curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a resolver that is slow
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 15L);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, kIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, user_agent_.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   static_cast<long>(may_share_ ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // The first call opens a connection, and the others wait to share it.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, may_share_ ? 1L : 0L);

  // OpenSSL verifies authorities and name, as set_up_tls() says. libcurl loads no authorities, and
  // its own check of the name would accept a common name (API-3, API-4).
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, credentials_->access().insecure ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // A session that is resumed shows no certificate, so no authority would be asked (API-7).
  curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
}

// A line without value leaves out what libcurl would add by itself.
curl_slist* CurlServer::headers(const Request& request) const {
  curl_slist* lines = nullptr;
  add_line(lines, "Accept: " + std::string(media_type_of(request.format)));
  add_line(lines, "Expect:");
  if (!host_.empty()) add_line(lines, "Host: " + host_);
  if (const std::string token = credentials_->token(); !token.empty()) {
    add_line(lines, "Authorization: Bearer " + token);
  }
  const bool has_type = !request.content_type.empty();
  const std::string usual = request.body.empty() ? "" : " application/json";
  add_line(lines, "Content-Type:" + (has_type ? " " + request.content_type : usual));
  return lines;
}

Status CurlServer::set_up(ssl_ctx_st* context) const {
  return set_up_tls(context, *credentials_, verdict_);
}

std::string CurlServer::explain(int code, const std::string& text, long system_error) const {
  const Access& access = credentials_->access();
  return explain_failure(in_words(static_cast<CURLcode>(code), text, system_error),
                         {credentials_->server_name(), access.ca.is_given(), verdict_->code()});
}

}  // namespace berth::kubeapi
