#include "proxy/upstream_client.h"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace berth::proxy {
namespace {

// A changed file of authorities is read again after so long.
constexpr long kAuthoritySeconds = 60;

// Less than the API server keeps an idle connection (90 s), so that it is not closed in our hands.
constexpr long kIdleSeconds = 60;

constexpr std::size_t kCallPools = 4;
constexpr std::size_t kCallsOfConnection = 100;  // of the API server, by default

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

long milliseconds(Duration duration) {
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace

UpstreamClient::UpstreamClient(ProxyState& state)
    : state_(state), streams_(state, state.options.max_stream_connections, false) {
  const std::size_t most = std::max<std::size_t>(state.options.max_call_connections, 1);
  const std::size_t pools = std::min(kCallPools, most);
  for (std::size_t i = 0; i < pools; ++i) {
    calls_.push_back(std::make_unique<CurlPool>(state, most / pools, true));
  }
}

UpstreamClient::~UpstreamClient() { curl_slist_free_all(connect_to_); }

Result<std::unique_ptr<UpstreamClient>> UpstreamClient::create(ProxyState& state) {
  std::unique_ptr<UpstreamClient> made(new UpstreamClient(state));
  if (Status read = made->read_server(); !read) return read.error();
  const std::string& file = state.options.upstream.ca_file;
  if (!file.empty() && ::access(file.c_str(), R_OK) != 0) {
    return Error{std::string("cannot be read: ") + std::strerror(errno), file};
  }
  return made;
}

// libcurl opens connections for all calls at once when one is full, so a pool gets no more calls
// than one connection carries, as long as another has room.
CurlPool& UpstreamClient::choose_pool(bool is_call) {
  if (!is_call) return streams_;
  std::unique_ptr<CurlPool>* least = &calls_.front();
  for (auto& pool : calls_) {
    if (pool->jobs() < kCallsOfConnection) return *pool;
    if (pool->jobs() < (*least)->jobs()) least = &pool;
  }
  return **least;
}

Status UpstreamClient::read_server() {
  const Upstream& upstream = state_.options.upstream;
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
  const Error malformed{"malformed address of a server; expected https://host:port/prefix",
                        upstream.server};
  if (!url || curl_url_set(url.get(), CURLUPART_URL, upstream.server.c_str(), 0) != CURLUE_OK) {
    return malformed;
  }
  const std::string scheme = part_of(url.get(), CURLUPART_SCHEME);
  const std::string host = part_of(url.get(), CURLUPART_HOST);
  const std::string port = part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const bool has_more = !part_of(url.get(), CURLUPART_QUERY).empty() ||
                        !part_of(url.get(), CURLUPART_FRAGMENT).empty() ||
                        !part_of(url.get(), CURLUPART_USER).empty();
  if ((scheme != "https" && scheme != "http") || host.empty() || has_more) return malformed;
  prefix_ = part_of(url.get(), CURLUPART_PATH);
  while (prefix_.ends_with('/')) prefix_.pop_back();
  base_ = scheme + "://" + host + ":" + port + "/";
  if (scheme == "https" && !upstream.server_name.empty() && upstream.server_name != host) {
    // libcurl checks the name that the address has. So the address gets the certificate's name, and
    // libcurl connects elsewhere.
    host_ = host + ":" + port;
    base_ = scheme + "://" + upstream.server_name + ":" + port + "/";
    connect_to_ = curl_slist_append(nullptr, ("::" + host_).c_str());
  }
  return Done{};
}

// No certificate of ours is ever set here: the API server would take us for the caller (VIEW-8).
void UpstreamClient::configure(void* easy, const std::string& target, bool is_call) const {
  const Upstream& upstream = state_.options.upstream;
  curl_easy_setopt(easy, CURLOPT_URL, base_.c_str());
  curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, (prefix_ + target).c_str());  // byte by byte
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a resolver that is slow
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(state_.options.connect_timeout));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 15L);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, kIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   static_cast<long>(is_call ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // Waiting for a connection to be shared would last as long as the first call if it cannot be.
  const bool may_share = is_call && base_.starts_with("https");
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, may_share ? 1L : 0L);

  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, upstream.skip_verification ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, upstream.skip_verification ? 0L : 2L);
  if (upstream.ca_file.empty() && upstream.ca_data.empty()) return;
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // the system's authorities
  curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, kAuthoritySeconds);
  if (!upstream.ca_data.empty()) {
    curl_blob authorities = {const_cast<char*>(upstream.ca_data.data()), upstream.ca_data.size(),
                             CURL_BLOB_NOCOPY};
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &authorities);
  } else {
    curl_easy_setopt(easy, CURLOPT_CAINFO, upstream.ca_file.c_str());
  }
}

}  // namespace berth::proxy
