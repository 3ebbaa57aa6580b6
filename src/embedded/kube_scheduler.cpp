#include "embedded/kube_scheduler.h"

#include <utility>

#include "embedded/extender_client.h"
#include "embedded/scheduling_loop.h"

namespace berth::embedded {

class KubeSchedulerStandIn::Impl {
 public:
  Impl(KubeSchedulerOptions options, EmbeddedCluster& cluster, const ScaledClock& clock)
      : options_(std::move(options)), cluster_(cluster), clock_(clock) {}

  Status start() {
    BERTH_CHECK(loop_ == nullptr);
    auto extender = ExtenderClient::create(
        {options_.extender_url, options_.tls, options_.plan_timeout, options_.commit_timeout});
    if (!extender) return extender.error();
    loop_ = std::make_unique<SchedulingLoop>(options_, cluster_, clock_, std::move(*extender));
    loop_->start();
    return Done{};
  }

  void stop() {
    if (loop_) loop_->stop();
  }

  KubeSchedulerCounts counts() const { return loop_ ? loop_->counts() : KubeSchedulerCounts{}; }

 private:
  const KubeSchedulerOptions options_;
  EmbeddedCluster& cluster_;
  const ScaledClock& clock_;
  std::unique_ptr<SchedulingLoop> loop_;
};

KubeSchedulerStandIn::KubeSchedulerStandIn(KubeSchedulerOptions options, EmbeddedCluster& cluster,
                                           const ScaledClock& clock)
    : impl_(std::make_unique<Impl>(std::move(options), cluster, clock)) {}

KubeSchedulerStandIn::~KubeSchedulerStandIn() { stop(); }

Status KubeSchedulerStandIn::start() { return impl_->start(); }

void KubeSchedulerStandIn::stop() { impl_->stop(); }

KubeSchedulerCounts KubeSchedulerStandIn::counts() const { return impl_->counts(); }

}  // namespace berth::embedded
