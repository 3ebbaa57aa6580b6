#include "daemon/app.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "berth/base/text.h"
#include "daemon/configuration.h"
#include "daemon/endpoints.h"
#include "daemon/event_queue.h"
#include "daemon/session_loop.h"
#include "embedded/cluster.h"
#include "embedded/kube_scheduler.h"
#include "embedded/manifest_source.h"
#include "extender/service.h"
#include "http/http_server.h"
#include "http/router.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

// The only place that knows all layers.

namespace berth::daemon {

namespace {

using telemetry::Level;
using telemetry::log;

constexpr Duration kServerDrain = std::chrono::seconds(2);
constexpr long kTickNs = 100'000'000;  // barrier deadlines are looked at this often

http::ServerOptions server_options(const conf::Config& config, const Endpoint& endpoint) {
  http::ServerOptions options;
  options.address = endpoint.address;
  options.port = endpoint.port;
  options.max_body_bytes = config.extender.max_body_bytes;
  options.max_connections = config.extender.max_connections;
  options.idle_timeout = config.extender.idle_timeout;
  options.body_deadline = config.extender.request_timeout;
  if (const auto& tls = config.extender.tls) {
    options.tls = http::ServerTls{tls->cert_file, tls->key_file, tls->client_ca_file};
  }
  options.on_notice = [](const std::string& message) { log(Level::warning, message); };
  return options;
}

std::string format_speed(double speed) {
  std::string text = std::to_string(speed);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

class App {
 public:
  App(const Flags& flags, Endpoint endpoint, std::unique_ptr<Configuration> configuration,
      engine::Scheduler scheduler)
      : flags_(flags),
        configuration_(std::move(configuration)),
        config_(configuration_->current()),
        clock_(SystemClock().now(), flags.speed),
        events_(std::size_t{1} << 18, [this] { metrics_.event_queue_stalled(); }),
        cluster_(clock_),
        published_(std::make_shared<const ports::PlanTable>()),
        barrier_({config_->barrier.timeout, config_->barrier.max_timeout}, published_, cluster_,
                 events_),
        service_(published_, barrier_, events_, real_clock_, &observer_),
        loop_(loop_parts(), loop_settings(), std::move(scheduler)),
        endpoints_(*configuration_, metrics_, loop_, published_, barrier_, events_),
        server_(http::make_http_server(server_options(*config_, endpoint), router_.handler())) {
    service_.add_routes(router_);
    endpoints_.add_routes(router_, [this] { return server_->counts(); });
  }

  int run() {
    if (const Status started = start(); !started) {
      std::fprintf(stderr, "%s\n", started.error().to_string().c_str());
      stop();
      return 2;
    }
    const int status = wait();
    stop();
    return status;
  }

 private:
  // Metrics by what the extender's threads tell.
  class Observer final : public extender::CallObserver {
   public:
    explicit Observer(telemetry::Metrics& metrics) : metrics_(metrics) {}
    void on_call(extender::Verb verb, extender::Outcome outcome, Duration took) override {
      metrics_.call_done(to_string(verb), to_string(outcome), took);
    }
    void on_full_nodes() override {
      metrics_.full_nodes_seen();
      if (!warned_.exchange(true)) {
        log(Level::warning, "kube-scheduler sends whole nodes; set nodeCacheCapable: true");
      }
    }

   private:
    telemetry::Metrics& metrics_;
    std::atomic<bool> warned_ = false;
  };

  SessionLoop::Parts loop_parts() {
    return {clock_,
            cluster_,
            events_,
            published_,
            [this] { barrier_.plan_changed(); },
            cluster_,
            cluster_,
            metrics_,
            [](const std::string& line) { log(Level::info, line); }};
  }

  SessionLoop::Settings loop_settings() const {
    return {{config_->scheduler_names, config_->default_queue},
            config_->schedule_period,
            config_->barrier.timeout};
  }

  Status start() {
    for (const std::string& warning : config_->warnings) log(Level::warning, warning);
    auto source = embedded::ManifestSource::open(flags_.embedded, cluster_, [](const Error& error) {
      log(Level::error, error.to_string() + "; the last good is kept");
    });
    if (!source) return source.error();
    manifests_ = std::move(*source);
    if (const Status listening = server_->start(); !listening) return listening.error();
    if (const Status watching = cluster_.start(events_); !watching) return watching.error();
    loop_.start();
    configuration_->follow({[this](const conf::Config& config) { adopt(config); },
                            [this](const std::string& complaint) {
                              metrics_.config_load_failed();
                              log(Level::error, complaint + "; the last good is kept");
                            }});
    return start_stand_in();
  }

  Status start_stand_in() {
    embedded::KubeSchedulerOptions options;
    const bool has_tls = config_->extender.tls.has_value();
    options.extender_url =
        (has_tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(server_->port());
    if (has_tls) {
      options.tls = http::ClientTls{flags_.stand_in_ca_file, flags_.stand_in_cert_file,
                                    flags_.stand_in_key_file};
    }
    options.managed_schedulers = config_->scheduler_names;
    stand_in_ = std::make_unique<embedded::KubeSchedulerStandIn>(options, cluster_, clock_);
    if (const Status started = stand_in_->start(); !started) return started.error();
    log(Level::info, "listening on port " + std::to_string(server_->port()) +
                         "; embedded cluster at speed " + format_speed(flags_.speed));
    return Done{};
  }

  void adopt(const conf::Config& config) {
    auto scheduler = engine::Scheduler::create(config.session);
    if (!scheduler) return;  // the source has made one before it took the text
    for (const std::string& warning : config.warnings) log(Level::warning, warning);
    for (const std::string& key : configuration_->waiting_for_restart()) {
      log(Level::warning, "\"" + key + "\" has changed and takes effect at the next start");
    }
    loop_.replace(std::move(*scheduler), config.schedule_period);
    log(Level::info, "the configuration has changed");
  }

  // Until a signal comes, all is settled, or time is over.
  int wait() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    const timespec tick{0, kTickNs};
    const auto begin = std::chrono::steady_clock::now();
    int settled_ticks = 0;
    while (sigtimedwait(&signals, nullptr, &tick) < 0) {
      barrier_.expire(real_clock_.now());
      settled_ticks = is_settled() ? settled_ticks + 1 : 0;
      constexpr int kTicksToBelieve = 5;
      if (flags_.exit_when_settled && settled_ticks >= kTicksToBelieve) return 0;
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      if (flags_.exit_after_s > 0 && elapsed.count() >= flags_.exit_after_s) {
        return flags_.exit_when_settled ? 1 : 0;
      }
    }
    log(Level::info, "stopping");
    return 0;
  }

  bool is_settled() const {
    const SessionLoop::Standing standing = loop_.standing();
    return standing.sessions > 0 && standing.pods_pending == 0 && standing.pods_planned == 0 &&
           standing.jobs_waiting == 0 && events_.size() == 0;
  }

  // Who asks stops first, then who answers, then who decides, then the cluster.
  void stop() {
    configuration_->unfollow();
    barrier_.shutdown();
    if (stand_in_ != nullptr) stand_in_->stop();
    if (const Status stopped = server_->stop(kServerDrain); !stopped) {
      log(Level::warning, stopped.error().to_string());
    }
    manifests_.reset();
    loop_.stop();
    cluster_.stop();
  }

  const Flags& flags_;
  std::unique_ptr<Configuration> configuration_;
  std::shared_ptr<const conf::Config> config_;  // at the start
  SteadyClock real_clock_;
  embedded::ScaledClock clock_;
  telemetry::Metrics metrics_;
  Observer observer_{metrics_};
  EventQueue events_;
  embedded::EmbeddedCluster cluster_;
  ports::Published<ports::PlanTable> published_;
  extender::GangBarrier barrier_;
  extender::Service service_;
  SessionLoop loop_;
  Endpoints endpoints_;
  http::Router router_;
  std::unique_ptr<http::HttpServer> server_;
  std::unique_ptr<embedded::ManifestSource> manifests_;
  std::unique_ptr<embedded::KubeSchedulerStandIn> stand_in_;
};

}  // namespace

int run(const Flags& flags) {
  telemetry::set_up_log({flags.json_log, flags.verbose ? Level::debug : Level::info});
  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return 2;
  };
  auto configuration = Configuration::open(flags.config_file);
  if (!configuration) return fail(configuration.error());
  const auto config = (*configuration)->current();
  Endpoint endpoint{config->extender.address, config->extender.port};
  if (!flags.listen.empty()) {
    auto parsed = parse_endpoint(flags.listen);
    if (!parsed) return fail(parsed.error());
    endpoint = *parsed;
  }
  auto scheduler = engine::Scheduler::create(config->session);
  if (!scheduler) return fail(scheduler.error());
  App app(flags, endpoint, std::move(*configuration), std::move(*scheduler));
  return app.run();
}

}  // namespace berth::daemon
