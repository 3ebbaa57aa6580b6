#include "curl/server.h"

namespace berth::curl {

namespace {

// Less than the API server keeps an idle connection (90 s), so that it is not closed in our hands.
constexpr long kIdleSeconds = 60;
constexpr long kConnectSeconds = 10;

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  std::string copy = text;
  curl_free(text);
  return copy;
}

std::string in_brackets(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

bool is_of_this_machine(const std::string& name) {
  return name == "localhost" || name == "::1" || name.starts_with("127.");
}

}  // namespace

std::string Address::authority() const { return in_brackets(host) + ":" + port; }

Result<Address> parse_address(const std::string& text) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
  const Error malformed{"malformed address of a server; expected https://host:port/prefix", text};
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return malformed;
  }
  Address address;
  address.scheme = part_of(url.get(), CURLUPART_SCHEME);
  address.host = part_of(url.get(), CURLUPART_HOST);
  address.port = part_of(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  address.prefix = part_of(url.get(), CURLUPART_PATH);
  if (address.host.starts_with('[')) address.host = address.host.substr(1, address.host.size() - 2);
  while (address.prefix.ends_with('/')) address.prefix.pop_back();
  const bool has_more = !part_of(url.get(), CURLUPART_QUERY).empty() ||
                        !part_of(url.get(), CURLUPART_FRAGMENT).empty() ||
                        !part_of(url.get(), CURLUPART_USER).empty();
  const bool is_http = address.scheme == "https" || address.scheme == "http";
  if (!is_http || address.host.empty() || has_more) return malformed;
  return address;
}

Result<std::unique_ptr<Server>> Server::create(ServerOptions options) {
  auto address = parse_address(options.address);
  if (!address) return address.error();
  return std::unique_ptr<Server>(new Server(std::move(options), std::move(address).value()));
}

Server::Server(ServerOptions options, const Address& address)
    : options_(std::move(options)),
      name_(options_.certificate_name.empty() ? address.host : options_.certificate_name),
      authority_(address.scheme + "://" + address.authority()),
      base_(authority_ + "/"),
      prefix_(address.prefix),
      is_loopback_(is_of_this_machine(address.host)) {
  if (!is_tls() || name_ == address.host) return;
  // libcurl sends the name that the address has (SNI). So the address gets the certificate's name,
  // and libcurl connects elsewhere.
  host_ = address.authority();
  base_ = "https://" + in_brackets(name_) + ":" + address.port + "/";
  connect_to_ = curl_slist_append(nullptr, ("::" + host_).c_str());
}

Server::~Server() { curl_slist_free_all(connect_to_); }

void Server::configure(CURL* easy, std::string_view target, Connections connections) const {
  const bool may_share = connections == Connections::shared && is_tls();
  curl_easy_setopt(easy, CURLOPT_URL, base_.c_str());
  curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, (prefix_ + std::string(target)).c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  if (is_loopback_) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);  // so that the target stays as it is
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // it must not carry our token elsewhere
  curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a resolver that is slow
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 15L);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, kIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   static_cast<long>(may_share ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // The first request opens a connection, and the others wait to share it. Without TLS they would
  // wait as long as the first one takes.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, may_share ? 1L : 0L);

  // OpenSSL verifies authorities and name, as set_up() says. libcurl loads no authorities, and its
  // own check of the name would accept a common name (API-3, API-4).
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options_.insecure ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // A session that is resumed shows no certificate, so no authority would be asked (API-7).
  curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
}

Status Server::set_up(ssl_ctx_st* context) const {
  const Result<TlsMaterial> material = options_.material();
  if (!material) return material.error();
  if (Status set = set_up_tls(context, *material); !set || options_.insecure) return set;
  if (Status required = require_name(context, name_); !required) return required;
  CertificateVerdict::follow(context, verdict_);
  return Done{};
}

std::string Server::explain(CURLcode code, std::string_view text, long system_error) const {
  return explain_failure(code, text, system_error, {name_, options_.has_own_ca, verdict_->code()});
}

}  // namespace berth::curl
