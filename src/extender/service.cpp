#include "extender/service.h"

#include <memory>
#include <utility>

#include "extender/wire.h"

namespace berth::extender {
namespace {

WireReader& reader() {
  static thread_local WireReader reader;
  return reader;
}

http::Response json(std::string body) {
  http::Response response;
  response.body = std::move(body);
  return response;
}

http::Response malformed(const Error& error) { return http::text_response(400, error.to_string()); }

http::Response not_ready() {
  return http::text_response(503, "not ready: not synced with the cluster, or not the leader");
}

// A bind call under way. The peer may leave before the barrier has given the call its number.
struct BindCall {
  explicit BindCall(http::Responder given) : responder(std::move(given)) {}

  http::Responder responder;
  std::atomic<CallId> number = 0;
  std::atomic<bool> has_left = false;
};

}  // namespace

const char* to_string(Verb verb) {
  constexpr std::array<const char*, kVerbs> kNames{"filter", "prioritize", "preempt", "bind"};
  return kNames[static_cast<std::size_t>(verb)];
}

Service::Service(const ports::Published<ports::PlanTable>& plan, GangBarrier& barrier,
                 ports::EventSink& events, const Clock& clock, Moves& moves, AttemptLog& attempts,
                 CallObserver* observer)
    : plan_(plan),
      barrier_(barrier),
      events_(events),
      clock_(clock),
      moves_(moves),
      attempts_(attempts),
      observer_(observer) {}

void Service::add_routes(http::Router& router) {
  add_route(router, Verb::filter, "/plan/filter", &Service::on_filter);
  add_route(router, Verb::prioritize, "/plan/prioritize", &Service::on_prioritize);
  add_route(router, Verb::preempt, "/guard/preempt", &Service::on_preempt);
  router.add("POST", "/commit/bind",
             [this](const http::Request& request, http::Responder responder) {
               on_bind(request, std::move(responder));
             });
}

void Service::add_route(http::Router& router, Verb verb, const char* path, Handle handle) {
  router.add("POST", path,
             [this, verb, handle](const http::Request& request, http::Responder responder) {
               const auto start = Steady::now();
               const std::shared_ptr<const ports::PlanTable> plan = plan_.load();
               Ending ending = plan->is_in_force() ? (this->*handle)(*plan, request.body)
                                                   : Ending{not_ready(), Outcome::not_ready};
               note(verb, ending.outcome, start);
               responder.answer(std::move(ending.response));
             });
}

// VIEW-5: the attempt begins before the plan is read. So a plan that comes after it, and shows the
// pod anew, finds the attempt open.
Service::Ending Service::on_filter(const ports::PlanTable&, const std::string& body) {
  const Result<FilterArgs> args = reader().filter_args(body);
  if (!args) return {malformed(args.error()), Outcome::malformed};
  attempts_.begun(args->pod.uid);
  if (args->form == NodeForm::objects && observer_ != nullptr) observer_->on_full_nodes();
  const std::shared_ptr<const ports::PlanTable> plan = plan_.load();
  bool is_open = false;
  Ending ending = plan->is_in_force() ? filter_by(*plan, *args, is_open)
                                      : Ending{not_ready(), Outcome::not_ready};
  if (!is_open) attempts_.ended(args->pod.uid);
  return ending;
}

Service::Ending Service::filter_by(const ports::PlanTable& plan, const FilterArgs& args,
                                   bool& is_open) {
  moves_.follow(plan);
  const ports::PlannedPod* planned = plan.find(args.pod.uid);
  std::unique_lock one_at_a_time(handing_out_, std::defer_lock);
  if (planned != nullptr && planned->alike != nullptr) one_at_a_time.lock();
  Result<FilterAnswer> answer = filter(plan, args, request_of, moves_);
  if (!answer) return {malformed(answer.error()), Outcome::malformed};
  is_open = planned != nullptr && !answer->reply.accepted.empty();
  // STEER-15. kube-scheduler has given up the call whose Binding is under way.
  const bool gives_up = answer->dropped || answer->moved;
  if (gives_up && barrier_.stage_of(args.pod.uid) == ports::Attempts::Stage::binding) {
    answer->dropped.reset();
    answer->moved.reset();
  }
  const bool has_choice = answer->outcome == Outcome::hinted && !answer->reply.accepted.empty();
  if (has_choice) moves_.leave_choice(args.pod.uid, planned->node);
  if (answer->exchanged) moves_.exchange(*answer->exchanged);
  if (answer->handed_out) moves_.hand_out(args.pod.uid, *answer->handed_out);
  // Nobody else gets the place that it gives up.
  if (answer->dropped && one_at_a_time) moves_.hand_out(args.pod.uid, answer->dropped->node);
  if (answer->dropped) events_.post(std::move(*answer->dropped));
  if (answer->moved) {
    moves_.add(answer->moved->pod_uid, answer->moved->from, answer->moved->to, answer->request);
    events_.post(std::move(*answer->moved));
  }
  return {json(encode(answer->reply)), answer->outcome};
}

Service::Ending Service::on_prioritize(const ports::PlanTable& plan, const std::string& body) {
  const Result<FilterArgs> args = reader().filter_args(body);
  if (!args) return {malformed(args.error()), Outcome::malformed};
  return {json(encode(prioritize(plan, *args))), Outcome::answered};
}

Service::Ending Service::on_preempt(const ports::PlanTable& plan, const std::string& body) {
  const Result<PreemptArgs> args = reader().preempt_args(body);
  if (!args) return {malformed(args.error()), Outcome::malformed};
  return {json(encode(preempt(plan, *args))), Outcome::answered};
}

void Service::on_bind(const http::Request& request, http::Responder responder) {
  const auto start = Steady::now();
  if (!plan_.load()->is_in_force()) {
    note(Verb::bind, Outcome::not_ready, start);
    return responder.answer(not_ready());
  }
  const Result<ports::Binding> binding = reader().binding_args(request.body);
  if (!binding) {
    note(Verb::bind, Outcome::malformed, start);
    return responder.answer(malformed(binding.error()));
  }
  const auto call = std::make_shared<BindCall>(std::move(responder));
  const std::weak_ptr<BindCall> watched = call;  // the responder keeps this callback
  call->responder.on_disconnect([this, watched, start, uid = binding->uid] {
    const std::shared_ptr<BindCall> left = watched.lock();
    if (!left) return;
    left->has_left = true;
    note(Verb::bind, Outcome::abandoned, start);
    if (const CallId number = left->number; number != 0) leave(number, uid);
  });
  if (call->has_left) return;
  const CallId number = barrier_.arrive(
      *binding, clock_.now(), [this, call, start, uid = binding->uid](const std::string& error) {
        attempts_.ended(uid);
        if (!error.empty()) moves_.take_back(uid);
        const Outcome outcome = error.empty() ? Outcome::bound : Outcome::refused;
        if (!call->has_left) note(Verb::bind, outcome, start);
        call->responder.answer(json(encode_bind_reply(error)));
      });
  call->number = number;
  if (call->has_left) leave(number, binding->uid);
}

void Service::leave(CallId call, const std::string& pod_uid) {
  barrier_.leave(call);
  if (barrier_.stage_of(pod_uid) == ports::Attempts::Stage::none) moves_.take_back(pod_uid);
}

void Service::note(Verb verb, Outcome outcome, Steady::time_point start) {
  auto& count = counts_[static_cast<std::size_t>(verb)][static_cast<std::size_t>(outcome)];
  count.fetch_add(1, std::memory_order_relaxed);
  if (observer_ != nullptr) observer_->on_call(verb, outcome, Steady::now() - start);
}

std::uint64_t Service::count(Verb verb, Outcome outcome) const {
  return counts_[static_cast<std::size_t>(verb)][static_cast<std::size_t>(outcome)].load(
      std::memory_order_relaxed);
}

}  // namespace berth::extender
