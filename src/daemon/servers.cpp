#include "daemon/servers.h"

#include <utility>

#include "daemon/page_access.h"
#include "http/browser_headers.h"
#include "telemetry/families.h"
#include "telemetry/log.h"

namespace berth::daemon {

namespace {

using telemetry::Level;
using telemetry::log;

const std::vector<std::string> kNoHosts;
constexpr std::size_t kPageBytes = std::size_t{64} << 10;
constexpr std::size_t kPageConnections = 256;
constexpr std::chrono::seconds kFirstRequest{30};  // of clients that anybody may be

std::optional<http::ServerTls> server_tls(const std::optional<conf::TlsSettings>& settings) {
  if (!settings) return std::nullopt;
  return http::ServerTls{settings->cert_file, settings->key_file, settings->client_ca_file};
}

http::ServerOptions options_at(const Endpoint& endpoint) {
  http::ServerOptions options;
  options.address = endpoint.address;
  options.port = endpoint.port;
  options.on_notice = [](const std::string& message) { log(Level::warning, message); };
  return options;
}

http::ServerOptions extender_options(const conf::ExtenderSettings& settings,
                                     const Listening& where) {
  http::ServerOptions options = options_at(where.extender);
  if (!where.pages) options.headers = http::browser_headers();  // it has the pages, too
  options.max_body_bytes = settings.max_body_bytes;
  options.max_connections = settings.max_connections;
  options.idle_timeout = options.first_request = settings.idle_timeout;
  options.body_deadline = settings.request_timeout;
  options.tls = server_tls(settings.tls);
  return options;
}

http::ServerOptions pages_options(const std::optional<conf::TlsSettings>& tls,
                                  const Endpoint& endpoint) {
  http::ServerOptions options = options_at(endpoint);
  options.headers = http::browser_headers();  // PAGE-10
  options.max_body_bytes = kPageBytes;
  options.max_connections = kPageConnections;
  options.first_request = kFirstRequest;
  options.tls = server_tls(tls);
  if (options.tls) options.tls->requires_certificate = false;
  return options;
}

}  // namespace

Result<Listening> Listening::of(const Flags& flags, const conf::Config& config) {
  Listening where{{config.extender.address, config.extender.port}, std::nullopt};
  if (!flags.listen.empty()) {
    auto parsed = parse_endpoint(flags.listen, "--listen");
    if (!parsed) return parsed.error();
    where.extender = *parsed;
  }
  if (!flags.pages.empty()) {
    auto parsed = parse_endpoint(flags.pages, "--pages");
    if (!parsed) return parsed.error();
    where.pages = *parsed;
  } else if (config.pages) {
    where.pages = Endpoint{config.pages->address, config.pages->port};
  }
  return where;
}

Servers::Servers(const conf::Config& config, const Listening& where, ports::Callers* callers)
    : extender_(http::make_http_server(
          extender_options(config.extender, where),
          for_our_hosts(verbs_.handler(), config.pages ? config.pages->hosts : kNoHosts))) {
  pages_address_ = where.pages.value_or(where.extender).address;
  pages_have_tls_ =
      where.pages ? config.pages && config.pages->tls : config.extender.tls.has_value();
  if (!where.pages) return;
  const auto tls = config.pages ? config.pages->tls : std::nullopt;
  http::Handler handler = pages_.handler();
  if (tls && !tls->client_ca_file.empty()) {
    handler = for_known_clients(std::move(handler), callers);
  }
  handler = for_our_hosts(std::move(handler), config.pages ? config.pages->hosts : kNoHosts);
  pages_server_ = http::make_http_server(pages_options(tls, *where.pages), std::move(handler));
}

Status Servers::start() {
  if (Status listening = extender_->start(); !listening) return listening;
  if (pages_server_ == nullptr) return Done{};
  if (Status listening = pages_server_->start(); !listening) return listening;
  log(Level::info, "pages at port " + std::to_string(pages_server_->port()));
  return Done{};
}

// An address that stands for all is that of this machine, too.
std::string Servers::url() const {
  const std::uint16_t port = pages_server_ == nullptr ? extender_->port() : pages_server_->port();
  std::string host = pages_address_;
  if (host == "0.0.0.0" || host == "::") host = "localhost";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return (pages_have_tls_ ? "https://" : "http://") + host + ":" + std::to_string(port);
}

Status Servers::stop(Duration deadline) {
  Status stopped = extender_->stop(deadline);
  if (pages_server_ == nullptr) return stopped;
  Status others = pages_server_->stop(deadline);
  return stopped ? others : stopped;
}

http::ServerCounts Servers::counts() const {
  http::ServerCounts counts = extender_->counts();
  if (pages_server_ == nullptr) return counts;
  const http::ServerCounts others = pages_server_->counts();
  counts.connections_open += others.connections_open;
  counts.connections_displaced += others.connections_displaced;
  counts.connections_refused += others.connections_refused;
  counts.malformed += others.malformed;
  return counts;
}

std::string Servers::exposition() const {
  using telemetry::add_series;
  auto failures = telemetry::counter_family(
      "berth_certificate_load_failures_total",
      "Looks at changed TLS files that could not be loaded; those before stay in use");
  auto ends = telemetry::gauge_family("berth_certificate_expires_seconds",
                                      "When the certificate in use expires, since 1970");
  bool has_tls = false;
  const auto add = [&](const http::HttpServer* server, const char* name) {
    if (server == nullptr || server->counts().certificate_expires == 0) return;
    const http::ServerCounts counts = server->counts();
    has_tls = true;
    add_series(failures, {{"server", name}}, static_cast<double>(counts.certificate_failures));
    add_series(ends, {{"server", name}}, static_cast<double>(counts.certificate_expires));
  };
  add(extender_.get(), "extender");
  add(pages_server_.get(), "pages");
  return has_tls ? telemetry::exposition_of({failures, ends}) : "";
}

}  // namespace berth::daemon
