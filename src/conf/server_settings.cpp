#include "conf/server_settings.h"

#include "berth/base/dns_name.h"
#include "berth/base/text.h"
#include "conf/known_keys.h"
#include "document/checked.h"

namespace berth::conf {

using namespace document;

namespace {

using namespace std::chrono_literals;
// Go's client, and so kube-scheduler, keeps a connection for 90 s. If we closed it first, some
// calls would fail in the closing connection.
constexpr DurationRange kIdleRange{91s, 24h};
constexpr DurationRange kRequestRange{100ms, 10min};

std::uint16_t port(const Cursor& at, std::uint16_t fallback) {
  return static_cast<std::uint16_t>(at.integer(fallback, 0, 65535));
}

std::optional<TlsSettings> tls_settings(Reading& reading, const Cursor& from,
                                        std::string_view section) {
  if (!from.is_present()) return std::nullopt;
  require_known_keys(reading, from, section);
  return TlsSettings{from.required_text("certFile"), from.required_text("keyFile"),
                     from["clientCAFile"].text()};
}

// "NAME", "NAMESPACE/NAME", or nothing.
AccountName account_name(const Cursor& at, const AccountName& fallback) {
  if (!at.is_present()) return fallback;
  const std::string text = at.text();
  const std::size_t slash = text.find('/');
  AccountName found;
  found.name = slash == std::string::npos ? text : text.substr(slash + 1);
  if (slash != std::string::npos) found.name_space = text.substr(0, slash);
  const bool has_good_space = slash == std::string::npos || is_dns_label(found.name_space);
  if (!text.empty() && (!has_good_space || !is_dns_name(found.name))) {
    at.complain("\"" + text + "\" is no service account, expected NAME or NAMESPACE/NAME");
  }
  return found;
}

std::vector<std::string> hosts_of(const Cursor& from) {
  std::vector<std::string> hosts;
  for (const Cursor& item : from.items()) {
    hosts.push_back(lowered(item.text()));
    if (!is_dns_name(hosts.back())) {
      item.complain("\"" + item.text() +
                    "\" is no host name, expected one such as "
                    "berth.example.com, without a port");
    }
  }
  return hosts;
}

}  // namespace

void read_extender(Reading& reading, const Cursor& from, ExtenderSettings& to) {
  require_known_keys(reading, from, "extender");
  to.address = ip_address(from["address"], to.address);
  to.port = port(from["port"], to.port);
  to.max_body_bytes = static_cast<std::size_t>(from["maxBodyBytes"].integer(
      static_cast<std::int64_t>(to.max_body_bytes), 1024, std::int64_t{1} << 32));
  to.max_connections = static_cast<std::size_t>(
      from["maxConnections"].integer(static_cast<std::int64_t>(to.max_connections), 1, 1'000'000));
  to.idle_timeout = duration_within(from["idleTimeout"], to.idle_timeout, kIdleRange);
  to.request_timeout = duration_within(from["requestTimeout"], to.request_timeout, kRequestRange);
  to.tls = tls_settings(reading, from["tls"], "extender.tls");
}

void read_pages(Reading& reading, const Cursor& from, std::optional<PagesSettings>& to) {
  if (!from.is_present()) return;
  require_known_keys(reading, from, "pages");
  to.emplace();
  to->address = ip_address(from["address"], to->address);
  to->port = port(from["port"], to->port);
  to->tls = tls_settings(reading, from["tls"], "pages.tls");
  to->hosts = hosts_of(from["hosts"]);
}

void read_view(Reading& reading, const Cursor& from, ViewSettings& to) {
  require_known_keys(reading, from, "view");
  to.address = ip_address(from["address"], to.address);
  to.port = port(from["port"], to.port);
  to.directory = from["directory"].text(to.directory);
  to.account = account_name(from["serviceAccount"], to.account);
  to.autoscaling = from["autoscaling"].boolean(to.autoscaling);
  to.scheduled_events =
      static_cast<std::int32_t>(from["scheduledEvents"].integer(to.scheduled_events, 0, 1'000'000));
}

}  // namespace berth::conf
