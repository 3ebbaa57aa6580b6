#include "daemon/view.h"

#include <utility>

#include "proxy/key_pair.h"
#include "telemetry/families.h"
#include "telemetry/log.h"

namespace berth::daemon {

Result<std::unique_ptr<View>> View::open(const conf::ViewSettings& settings,
                                         proxy::Upstream upstream,
                                         apiview::PodInterceptor::Parts parts,
                                         std::function<void()> token_refused) {
  if (const Status made = proxy::make_key_pair(settings.directory); !made) return made.error();
  proxy::Options options;
  options.address = settings.address;
  options.port = settings.port;
  options.certificate_file = settings.directory + "/view.crt";
  options.key_file = settings.directory + "/view.key";
  options.client_ca_file = options.certificate_file;
  options.upstream = std::move(upstream);
  options.has_token = !settings.account.name.empty();
  options.on_token_refused = std::move(token_refused);
  options.on_notice = [](const std::string& message) {
    telemetry::log(telemetry::Level::warning, "view: " + message);
  };
  std::unique_ptr<View> view(new View(std::move(parts)));
  auto proxy = proxy::Proxy::create(std::move(options), view->interceptor_);
  if (!proxy) return proxy.error();
  view->proxy_ = std::move(*proxy);
  if (podview::PodWindow* const window = view->interceptor_.window(); window != nullptr) {
    window->on_news(
        [&made = *view] { made.proxy_->post([&made] { made.interceptor_.read_window(); }); });
  }
  return view;
}

void View::shown_changed() {
  proxy_->post([this] { interceptor_.follow(); });
}

void View::tick() {
  if (interceptor_.has_deferred()) shown_changed();
}

std::string View::exposition() const {
  using telemetry::counter_family;
  using telemetry::gauge_family;
  const proxy::Counts counts = proxy_->counts();
  telemetry::Families families;
  const auto add = [&](telemetry::MetricFamily family, std::uint64_t value) {
    telemetry::add_series(family, {}, static_cast<double>(value));
    families.push_back(std::move(family));
  };
  add(gauge_family("berth_view_connections", "Connections of clients"), counts.connections_open);
  add(gauge_family("berth_view_streams", "Requests of clients without a whole answer yet"),
      counts.streams_open);
  add(counter_family("berth_view_requests_total", "Requests of clients"), counts.requests);
  add(counter_family("berth_view_requests_answered_total",
                     "Requests that the view answered itself"),
      counts.answered_locally);
  add(counter_family("berth_view_writes_refused_total",
                     "Writes that were refused, as this berthd does not lead"),
      counts.refused);
  add(counter_family("berth_view_requests_malformed_total", "Requests that were refused"),
      counts.malformed);
  add(counter_family("berth_view_clients_stalled_total", "Streams cut as the client did not read"),
      counts.stalled);
  add(counter_family("berth_view_upstream_failures_total", "Requests that the API server failed"),
      counts.upstream_failures);
  add(counter_family("berth_view_watches_dead_total", "Watches that the API server left silent"),
      counts.dead_watches);
  add(counter_family("berth_view_upstream_connects_total", "Connections made to the API server"),
      counts.upstream_connects);
  return telemetry::exposition_of(families);
}

}  // namespace berth::daemon
