// SLA: no job waits longer than its limit.
// Rules: docs/design/sla.md.
//
//   SLA-1  order: the job whose limit ends first comes first; a job without limit comes last
//   SLA-2  admission: a job at its limit is admitted; later tiers are not asked
//   SLA-3  holding: a job at its limit keeps promised room
//
// Waiting counts from the job's creation. Argument: sla-waiting-time, a duration from 1s to 8760h,
// for jobs without the annotation volcano.sh/sla-waiting-time; default: none.

#include <optional>

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Sla final : public Plugin {
 public:
  explicit Sla(Arguments& arguments) {
    const bool has_limit = arguments.has("sla-waiting-time");
    const Duration limit = arguments.duration("sla-waiting-time", Duration(0),
                                              std::chrono::seconds(1), std::chrono::hours(8760));
    if (has_limit) limit_ = limit;
  }

  void on_session_open(Session& session) override {
    now_ = session.now();
    for (const JobId id : session.cluster().open_jobs()) {
      const auto at = up_at(session.cluster().job(id));
      if (at && *at > now_) session.answers_may_change_at(*at);
    }
    session.attach<&Sla::first_up_first>(points::job_order, *this);
    session.attach<&Sla::is_up>(points::job_enqueueable, *this);
    session.attach<&Sla::is_up>(points::job_pipelined, *this);
  }

 private:
  std::optional<TimePoint> up_at(const Job& job) const {
    const auto limit = job.waiting_limit ? job.waiting_limit : limit_;
    if (!limit) return std::nullopt;
    const Duration rest = TimePoint::max() - job.created;
    return *limit < rest ? job.created + *limit : TimePoint::max();
  }

  // SLA-1
  Order first_up_first(const Job& left, const Job& right) const {
    const auto l = up_at(left);
    const auto r = up_at(right);
    if (l.has_value() != r.has_value()) return l ? Order::less : Order::greater;
    return l ? *l <=> *r : Order::equal;
  }

  // SLA-2, SLA-3
  Vote is_up(const Job& job) const {
    const auto at = up_at(job);
    return at && *at <= now_ ? permit() : abstain();
  }

  std::optional<Duration> limit_;
  TimePoint now_;
};

}  // namespace

BERTH_PLUGIN(Sla, "sla");

}  // namespace berth::plugins
