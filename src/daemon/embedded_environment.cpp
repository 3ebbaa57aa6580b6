#include <memory>
#include <utility>

#include "berth/base/boot_clock.h"
#include "daemon/environment.h"
#include "embedded/embedded_cluster.h"
#include "embedded/kube_scheduler.h"
#include "embedded/manifest_source.h"
#include "telemetry/log.h"

namespace berth::daemon {

namespace {

using telemetry::Level;
using telemetry::log;

std::string format_speed(double speed) {
  std::string text = std::to_string(speed);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// A cluster in memory, made of manifests, with a stand-in for kube-scheduler.
class EmbeddedEnvironment final : public Environment {
 public:
  EmbeddedEnvironment(const Flags& flags, std::shared_ptr<const conf::Config> config)
      : flags_(flags),
        config_(std::move(config)),
        clock_(SystemClock().now(), flags.speed),
        cluster_(clock_) {}

  const Clock& clock() const override { return clock_; }
  ports::ClusterSource& source() override { return cluster_; }
  ports::Binder& binder() override { return cluster_; }
  ports::ObjectWriter& writer() override { return cluster_; }
  const ports::Leadership& leadership() const override { return leadership_; }

  Status open(Hooks hooks) override {
    auto source = embedded::ManifestSource::open(
        flags_.embedded, cluster_,
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

  Status begin(std::uint16_t port) override {
    embedded::KubeSchedulerOptions options;
    const bool has_tls = config_->extender.tls.has_value();
    options.extender_url =
        (has_tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port);
    if (has_tls) {
      options.tls = http::ClientTls{flags_.stand_in_ca_file, flags_.stand_in_cert_file,
                                    flags_.stand_in_key_file};
    }
    options.managed_schedulers = config_->scheduler_names;
    stand_in_ = std::make_unique<embedded::KubeSchedulerStandIn>(options, cluster_, clock_);
    if (const Status started = stand_in_->start(); !started) return started.error();
    log(Level::info, "listening on port " + std::to_string(port) + "; embedded cluster at speed " +
                         format_speed(flags_.speed));
    return Done{};
  }

  void stop_callers() override {
    if (stand_in_ != nullptr) stand_in_->stop();
    manifests_.reset();
  }
  void stop() override { cluster_.stop(); }

 private:
  const Flags& flags_;
  std::shared_ptr<const conf::Config> config_;
  const BootClock boot_clock_;
  ports::Leadership leadership_{boot_clock_};
  embedded::ScaledClock clock_;
  embedded::EmbeddedCluster cluster_;
  std::unique_ptr<embedded::ManifestSource> manifests_;
  std::unique_ptr<embedded::KubeSchedulerStandIn> stand_in_;
};

}  // namespace

std::unique_ptr<Environment> make_embedded(const Flags& flags,
                                           std::shared_ptr<const conf::Config> config) {
  return std::make_unique<EmbeddedEnvironment>(flags, std::move(config));
}

}  // namespace berth::daemon
