#include "extender/barrier.h"

#include <mutex>
#include <utility>

namespace berth::extender {

// One roster under one mutex. Its effects run after the mutex is released.
class GangBarrier::State : public std::enable_shared_from_this<State> {
 public:
  State(BarrierLimits limits, const ports::Published<ports::PlanTable>& plan, const Moves& moves,
        ports::Binder& binder, ports::EventSink& events)
      : plan_(plan), binder_(binder), events_(events), roster_(limits, plan.load(), moves) {}

  template <class Step>
  void step(Step&& step) {
    Roster::Effects effects;
    {
      const std::lock_guard lock(mutex_);
      roster_.follow(plan_.load(), effects);
      step(roster_, effects);
    }
    carry_out(std::move(effects));
  }

  template <class Question>
  auto ask(Question&& question) const {
    const std::lock_guard lock(mutex_);
    return question(roster_);
  }

 private:
  void carry_out(Roster::Effects effects) {
    for (const ports::Binding& binding : effects.binds) {
      auto done = [self = shared_from_this(), uid = binding.uid](const ports::BindOutcome& result) {
        self->step(
            [&](Roster& roster, Roster::Effects& next) { roster.outcome(uid, result, next); });
      };
      binder_.bind(binding, std::move(done));
    }
    for (auto& [answer, error] : effects.answers) answer(error);
    for (PlacementDropped& drop : effects.drops) events_.post(std::move(drop));
  }

  const ports::Published<ports::PlanTable>& plan_;
  ports::Binder& binder_;
  ports::EventSink& events_;
  mutable std::mutex mutex_;
  Roster roster_;
};

GangBarrier::GangBarrier(BarrierLimits limits, const ports::Published<ports::PlanTable>& plan,
                         Moves& moves, ports::Binder& binder, ports::EventSink& events,
                         std::function<void()> on_related)
    : plan_(plan),
      moves_(moves),
      on_related_(std::move(on_related)),
      state_(std::make_shared<State>(limits, plan, moves, binder, events)) {}

GangBarrier::~GangBarrier() { shutdown(); }

CallId GangBarrier::arrive(ports::Binding binding, TimePoint now, BindAnswer answer) {
  CallId call = 0;
  const ports::PlannedPod* planned = nullptr;
  const std::shared_ptr<const ports::PlanTable> plan = on_related_ ? plan_.load() : nullptr;
  if (plan != nullptr) planned = plan->find(binding.uid);
  state_->step([&](Roster& roster, Roster::Effects& effects) {
    call = roster.arrive(std::move(binding), now, std::move(answer), effects);
  });
  if (planned != nullptr && planned->has_relations) on_related_();  // RELATION-12
  return call;
}

void GangBarrier::leave(CallId call) {
  state_->step([&](Roster& roster, Roster::Effects& effects) { roster.leave(call, effects); });
}

void GangBarrier::expire(TimePoint now) {
  state_->step([&](Roster& roster, Roster::Effects& effects) { roster.expire(now, effects); });
}

void GangBarrier::plan_changed() {
  moves_.follow(*plan_.load());
  state_->step([](Roster&, Roster::Effects&) {});
}

void GangBarrier::close() {
  state_->step([](Roster& roster, Roster::Effects& effects) {
    roster.close(Roster::Closing::waiting, effects);
  });
}

void GangBarrier::shutdown() {
  state_->step([](Roster& roster, Roster::Effects& effects) {
    roster.close(Roster::Closing::all, effects);
  });
}

ports::Attempts::Stage GangBarrier::stage_of(const std::string& pod_uid) const {
  return state_->ask([&](const Roster& roster) { return roster.stage_of(pod_uid); });
}

bool GangBarrier::is_quiet(const std::string& pod_uid) const {
  return state_->ask([&](const Roster& roster) { return roster.is_quiet(pod_uid); });
}

std::size_t GangBarrier::held() const {
  return state_->ask([](const Roster& roster) { return roster.held(); });
}

std::size_t GangBarrier::binding() const {
  return state_->ask([](const Roster& roster) { return roster.binding(); });
}

}  // namespace berth::extender
