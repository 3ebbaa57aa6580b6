#include <atomic>
#include <memory>
#include <utility>

#include "berth/base/boot_clock.h"
#include "berth/base/thread_executor.h"
#include "daemon/environment.h"
#include "embedded/kube_scheduler.h"
#include "embedded/kubelet.h"
#include "embedded/manifest_source.h"
#include "telemetry/log.h"

namespace berth::daemon {

namespace {

using telemetry::Level;
using telemetry::log;

constexpr Duration kLookAgain = std::chrono::milliseconds(100);

std::string format_speed(double speed) {
  std::string text = std::to_string(speed);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// A cluster in memory, made of manifests, with a stand-in for kube-scheduler. All of it runs on the
// executor; the ports are called from any thread.
class EmbeddedEnvironment final : public Environment,
                                  public ports::ClusterSource,
                                  public ports::Binder,
                                  public ports::ObjectWriter {
 public:
  EmbeddedEnvironment(const Flags& flags, std::shared_ptr<const conf::Config> config)
      : flags_(flags), config_(std::move(config)), clock_(SystemClock().now(), flags.speed) {}
  ~EmbeddedEnvironment() override { stop_callers(); }

  const Clock& clock() const override { return clock_; }
  ports::ClusterSource& source() override { return *this; }
  ports::Binder& binder() override { return *this; }
  ports::ObjectWriter& writer() override { return *this; }
  const ports::Leadership& leadership() const override { return leadership_; }

  Status open(Hooks hooks) override {
    auto source = embedded::ManifestSource::open(
        flags_.embedded,
        [this](std::vector<ClusterEvent> changes) {
          executor_.post([this, changes = std::move(changes)] { server_.apply(changes); });
        },
        [](const Error& error) {
          log(Level::error, error.to_string() + "; the last good is kept");
        },
        [](const std::string& note) { log(Level::warning, note); });
    if (!source) return source.error();
    manifests_ = std::move(*source);
    leadership_.begin(1, ports::Leadership::kForever);
    hooks.start_leading(1);
    return Done{};
  }

  Status begin(Verbs verbs) override {
    executor_.run([&] { start_kube_scheduler(std::move(verbs.view), verbs.router); });
    log(Level::info, "listening on port " + std::to_string(verbs.port) +
                         "; embedded cluster at speed " + format_speed(flags_.speed));
    return Done{};
  }

  void shown_changed() override {
    executor_.post([this] {
      if (view_) view_->follow();
    });
  }

  void stop_callers() override {
    manifests_.reset();
    executor_.stop();
    kube_scheduler_.reset();
    view_.reset();
  }
  void stop() override {}

  // --- the ports ------------------------------------------------------------------------------
  Status start(ports::EventSink& sink) override {
    executor_.post([this, &sink] {
      for (const auto& each : server_.list()) sink.post(each.event);
      server_.follow([&sink](const embedded::ApiServer::Change& each) { sink.post(each.event); });
      is_synced_ = true;
    });
    return Done{};
  }
  bool is_synced() const override { return is_synced_; }

  void bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) override {
    executor_.post([this, binding, done = std::move(done)] { done(server_.bind(binding)); });
  }
  void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override {
    executor_.post([this, write, done = std::move(done)] { done(server_.write(write)); });
  }

 private:
  void start_kube_scheduler(std::optional<apiview::PodInterceptor::Parts> view,
                            const http::Router& router) {
    if (view) view_.emplace(*std::move(view));
    embedded::KubeScheduler::Options options;
    options.managed_schedulers = config_->scheduler_names;
    options.plan_timeout = real(options.plan_timeout);  // as the extender's own limits
    options.commit_timeout = real(options.commit_timeout);
    kube_scheduler_.emplace(std::move(options),
                            embedded::KubeScheduler::Parts{executor_, link_, server_, &router,
                                                           view_ ? &*view_ : nullptr, informer_});
    server_.follow(
        [this](const embedded::ApiServer::Change& each) { kube_scheduler_->server_changed(each); });
    if (view_) look_again();
  }

  // VIEW-5
  void look_again() {
    if (view_->has_deferred()) view_->follow();
    executor_.after(real(kLookAgain), [this] { look_again(); });
  }

  // A real time by the cluster's clock.
  Duration real(Duration time) const {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(time) *
                                                flags_.speed);
  }

  const Flags& flags_;
  std::shared_ptr<const conf::Config> config_;
  const BootClock boot_clock_;
  ports::Leadership leadership_{boot_clock_};
  ScaledClock clock_;
  std::atomic<bool> is_synced_ = false;
  std::unique_ptr<embedded::ManifestSource> manifests_;

  // --- of the executor --------------------------------------------------------------------------
  ThreadExecutor executor_{clock_, "cluster"};
  embedded::Link link_;
  embedded::ApiServer server_{clock_};
  embedded::Kubelet kubelet_{executor_, server_};
  embedded::ListingInformer informer_;
  std::optional<apiview::PodInterceptor> view_;  // in steering mode `view`
  std::optional<embedded::KubeScheduler> kube_scheduler_;
};

}  // namespace

std::unique_ptr<Environment> make_embedded(const Flags& flags,
                                           std::shared_ptr<const conf::Config> config) {
  return std::make_unique<EmbeddedEnvironment>(flags, std::move(config));
}

}  // namespace berth::daemon
