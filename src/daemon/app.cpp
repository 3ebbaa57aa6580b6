#include "daemon/app.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "berth/base/text.h"
#include "daemon/configuration.h"
#include "daemon/core.h"
#include "daemon/endpoints.h"
#include "daemon/environment.h"
#include "daemon/history.h"
#include "daemon/page.h"
#include "daemon/page_access.h"
#include "daemon/servers.h"
#include "daemon/view.h"
#include "proxy/key_pair.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

// The only place that knows all layers.

namespace berth::daemon {

namespace {

using telemetry::Level;
using telemetry::log;

constexpr Duration kServerDrain = std::chrono::seconds(1);
constexpr Duration kBindDrain = std::chrono::seconds(3);
constexpr long kTickNs = 100'000'000;  // barrier deadlines are looked at this often

class App {
 public:
  App(const Flags& flags, const Listening& where, std::unique_ptr<Configuration> configuration,
      std::unique_ptr<Environment> environment, engine::Scheduler scheduler)
      : flags_(flags),
        configuration_(std::move(configuration)),
        config_(configuration_->current()),
        environment_(std::move(environment)),
        history_(make_history(config_->history, environment_->clock(), metrics_)),
        core_({*config_, *environment_, real_clock_, metrics_, &observer_,
               [this] {
                 if (view_ != nullptr) return view_->shown_changed();
                 environment_->shown_changed();
               },
               [](const std::string& line) { log(Level::info, line); }, EventQueue::kCapacity,
               history_ == nullptr ? nullptr : &history_->recorder, true, true},
              std::move(scheduler)),
        endpoints_(*configuration_, metrics_, core_, *environment_, view_),
        servers_(*config_, where, environment_->callers()) {
    core_.service.add_routes(servers_.verbs());
    endpoints_.add_routes(servers_, page_maker_);
    if (core_.page_feed == nullptr) return;
    page_ = std::make_unique<Page>(core_, real_clock_);
    page_->add_routes(servers_.pages(), [this](SeenHandler handler) {
      return for_viewers(std::move(handler), environment_->callers());
    });
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
  // Metrics of the extender's calls, from its threads.
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

  Status start() {
    for (const std::string& warning : config_->warnings) log(Level::warning, warning);
    const Status opened = environment_->open(
        {[this](std::uint64_t epoch) { core_.loop.start_leading(epoch); },
         [this] { core_.loop.stop_leading(); }, [this] { core_.loop.kube_scheduler_changed(); },
         [this] {
           return view_ == nullptr || (view_->is_read() && environment_->account_fault().empty());
         }});
    if (!opened) return opened;
    if (const Status viewed = open_view(); !viewed) return viewed;
    if (const Status listening = servers_.start(); !listening) return listening;
    const Status watching = environment_->source().start(core_.events);
    if (!watching) return watching;
    environment_->answer_to(core_.events);
    core_.loop.start();
    if (page_ != nullptr) {
      page_->start();
      log(Level::info, "the page is at " + servers_.url() + "/page/");
    }
    configuration_->follow({[this](const conf::Config& config) { adopt(config); },
                            [this](const std::string& complaint) {
                              metrics_.config_load_failed();
                              log(Level::error, complaint + "; the last good is kept");
                            }});
    Environment::Verbs verbs{servers_.port(), servers_.verbs(), {}};
    if (is_viewed() && view_ == nullptr) verbs.view.emplace(core_.view_parts(warn));
    return environment_->begin(std::move(verbs));
  }

  bool is_viewed() const { return mode_of(*config_) == steering::Mode::view; }
  static void warn(const std::string& message) { log(Level::warning, message); }

  Status open_view() {
    std::optional<proxy::Upstream> upstream = environment_->upstream();
    if (!is_viewed() || !upstream) return Done{};
    auto view = View::open(config_->view, *std::move(upstream), core_.view_parts(warn),
                           [this] { environment_->token_refused(); });
    if (!view) return view.error();
    if (const Status listening = (*view)->start(); !listening) return listening;
    view_ = std::move(*view);
    if (!config_->view.account.name.empty()) {
      environment_->follow_account(config_->view.account,
                                   [this](const std::string& token) { view_->set_token(token); });
    }
    log(Level::info, "kube-scheduler reads the cluster at port " + std::to_string(view_->port()));
    return Done{};
  }

  void adopt(const conf::Config& config) {
    auto scheduler = engine::Scheduler::create(config.session);
    if (!scheduler) return;  // the source has made one before it took the text
    for (const std::string& warning : config.warnings) log(Level::warning, warning);
    for (const std::string& key : configuration_->waiting_for_restart()) {
      log(Level::warning, "\"" + key + "\" has changed and takes effect at the next start");
    }
    core_.loop.replace(std::move(*scheduler), config.schedule_period);
    if (core_.forecasts != nullptr) core_.forecasts->set_rules(forecast::rules_of(config));
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
      core_.barrier.expire(real_clock_.now());
      if (view_ != nullptr) view_->tick();
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
    const SessionLoop::LastSession last = core_.loop.last_session();
    return last.sessions > 0 && last.pods_pending == 0 && last.pods_planned == 0 &&
           last.jobs_waiting == 0 && core_.events.size() == 0;
  }

  // In this order: the callers stop, then the server, then the sessions, then the cluster.
  void stop() {
    configuration_->unfollow();
    core_.barrier.close();
    drain_binds();
    core_.barrier.shutdown();
    environment_->stop_callers();
    if (view_ != nullptr) view_->stop();
    if (page_ != nullptr) page_->stop();
    if (const Status stopped = servers_.stop(kServerDrain); !stopped) {
      log(Level::warning, stopped.error().to_string());
    }
    if (core_.forecasts != nullptr) core_.forecasts->stop();
    core_.loop.stop();
    environment_->stop();
    if (history_ != nullptr) history_->sink.stop();
  }

  // A gang of which some Bindings have been posted gets the others, too.
  void drain_binds() const {
    const auto deadline = std::chrono::steady_clock::now() + kBindDrain;
    const timespec tick{0, kTickNs / 10};
    while (core_.barrier.binding() > 0 && std::chrono::steady_clock::now() < deadline) {
      nanosleep(&tick, nullptr);
    }
  }

  const Flags& flags_;
  std::unique_ptr<Configuration> configuration_;
  std::shared_ptr<const conf::Config> config_;  // at the start
  std::unique_ptr<Environment> environment_;
  SteadyClock real_clock_;
  telemetry::Metrics metrics_;
  Observer observer_{metrics_};
  std::unique_ptr<History> history_;  // null: nothing is recorded
  Core core_;
  std::unique_ptr<View> view_;  // in steering mode `view`; set before the loop starts
  Endpoints endpoints_;
  Servers servers_;
  PageMaker page_maker_;
  std::unique_ptr<Page> page_;  // null: the configuration has none
};

int run_app(const Flags& flags) {
  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return 2;
  };
  if (!flags.make_view_key.empty()) {
    const Status made = proxy::make_key_pair(flags.make_view_key);
    return made ? 0 : fail(made.error());
  }
  auto configuration = Configuration::open(flags.config_file);
  if (!configuration) return fail(configuration.error());
  const auto config = (*configuration)->current();
  const auto where = Listening::of(flags, *config);
  if (!where) return fail(where.error());
  auto scheduler = engine::Scheduler::create(config->session);
  if (!scheduler) return fail(scheduler.error());
  std::unique_ptr<Environment> environment;
  if (!flags.embedded.empty()) {
    environment = make_embedded(flags, config);
  } else if (auto live = make_live(flags, config); live) {
    environment = std::move(*live);
  } else {
    return fail(live.error());
  }
  App app(flags, *where, std::move(*configuration), std::move(environment), std::move(*scheduler));
  return app.run();
}

}  // namespace

int run(const Flags& flags) {
  telemetry::set_up_log({flags.json_log, flags.verbose ? Level::debug : Level::info, true});
  const int status = run_app(flags);
  telemetry::finish_log();
  return status;
}

}  // namespace berth::daemon
