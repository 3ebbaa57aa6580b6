#include "world/berthd.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/scheduler.h"

namespace berth::world {
namespace {

using Fate = Network::WriteFate;
using WriteResult = ports::WriteOutcome::Result;

constexpr Duration kRequestTimeout = 10s;

ports::WriteOutcome outcome_of(Fate fate) {
  switch (fate) {
    case Fate::conflict:
      return {WriteResult::conflict, "409"};
    case Fate::throttled:
      return {WriteResult::failed, "429", 1s};
    case Fate::failure:
      return {WriteResult::failed, "500"};
    default:
      return {WriteResult::failed, "no answer"};
  }
}

kubeapi::LeaseOptions lease_of(const std::string& identity) {
  kubeapi::LeaseOptions options;
  options.identity = identity;
  return options;
}

}  // namespace

// The API server as the core's ports show it.
class Berthd::BerthdEnvironment final : public daemon::Environment,
                                        public ports::ClusterSource,
                                        public ports::Binder,
                                        public ports::ObjectWriter,
                                        public ports::StartingPods {
 public:
  explicit BerthdEnvironment(Berthd& owner) : owner_(owner) {}

  const Clock& clock() const override { return owner_.clock_; }
  ports::ClusterSource& source() override { return *this; }
  ports::Binder& binder() override { return *this; }
  ports::ObjectWriter& writer() override { return *this; }
  const ports::Leadership& leadership() const override { return owner_.leadership_; }
  ports::StartingPods* starting_pods() override { return this; }
  podview::PodWindow* pod_window() override { return &owner_.window_; }
  Status open(Hooks) override { return berth::Done{}; }
  Status begin(Verbs) override { return berth::Done{}; }
  void stop_callers() override {}

  Status start(ports::EventSink&) override { return berth::Done{}; }
  bool is_synced() const override {
    const auto& readers = owner_.readers_;
    return !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                           [](const auto& each) { return each->is_synced(); });
  }
  ports::Behind behind(Duration proved_within) const override {
    ports::Behind behind;
    for (const auto& each : owner_.readers_) {
      if (each->is_behind(proved_within)) behind.required.push_back(each->name());
    }
    return behind;
  }
  void doubt_silence(Duration proved_within) override {
    for (const auto& each : owner_.readers_) each->doubt_silence(proved_within);
  }
  void stop() override {}

  void bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) override {
    owner_.laws_.sent(binding.epoch, owner_.lease_.epoch(), owner_.leads());
    request<ports::BindOutcome>(
        [&server = owner_.server_, binding] { return server.bind(binding); },
        // Without an answer, the client looks at the pod until it knows.
        [&server = owner_.server_, binding](Fate fate) {
          const PodObject* const pod = server.find<PodObject>(binding.uid);
          const bool is_there = pod != nullptr && pod->node_name == binding.node;
          return ports::BindOutcome{is_there, outcome_of(fate).error};
        },
        [this, uid = binding.uid, done = std::move(done)](ports::BindOutcome is) {
          if (!is.bound) owner_.laws_.claims().binding_failed(uid);
          done(std::move(is));
          owner_.wake();
        });
  }

  void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override {
    owner_.laws_.sent(write.epoch, owner_.lease_.epoch(), owner_.leads());
    const auto* const evicts = std::get_if<ports::Eviction>(&write.content);
    if (evicts != nullptr) owner_.laws_.evicted(write.object, evicts->reason);
    if (evicts != nullptr && owner_.agenda_.happens(owner_.network_.faults.refused_eviction)) {
      failed(write);
      return owner_.life_.after(owner_.network_.hop() * 2, [this, done = std::move(done)] {
        done({WriteResult::refused, "evict: a disruption budget"});
        owner_.wake();
      });
    }
    request<ports::WriteOutcome>([&laws = owner_.laws_, write] { return laws.carry_out(write); },
                                 outcome_of,
                                 [this, write, done = std::move(done)](ports::WriteOutcome is) {
                                   if (is.result != WriteResult::done) failed(write);
                                   done(std::move(is));
                                   owner_.wake();
                                 });
  }

  void failed(const ports::Write& write) {
    const auto* const evicts = std::get_if<ports::Eviction>(&write.content);
    if (evicts != nullptr) owner_.laws_.eviction_failed(write.object.uid, evicts->reason);
  }

  void read(ports::StartingPods::Done done) override {
    owner_.life_.after(owner_.network_.hop() * 2, [this, done = std::move(done)] {
      if (owner_.network_.fate_of_write() != Fate::done) return done(std::nullopt);
      std::set<std::string> uids;
      for (const auto& [uid, pod] : owner_.server_.all<PodObject>()) {
        const PodObject& each = pod.object;
        const bool is_starting = !each.node_name.empty() && each.phase == PodPhase::pending;
        if (is_starting && each.scheduler_name == "berth") uids.insert(uid);
      }
      done(std::move(uids));
    });
  }

  template <class Outcome>
  void request(std::function<Outcome()> carry_out, std::function<Outcome(Fate)> fault,
               std::function<void(Outcome)> done, Duration timeout = kRequestTimeout) {
    Fate fate = owner_.network_.fate_of_write();
    const bool is_done = fate == Fate::done || fate == Fate::lost_answer;
    const auto box = std::make_shared<std::optional<Outcome>>();
    const Duration there = owner_.network_.hop();
    // It is carried out even if its sender has ended meanwhile.
    if (is_done) {
      owner_.agenda_.after(there, [box, carry_out = std::move(carry_out)] { *box = carry_out(); });
    }
    Duration back = there + owner_.network_.hop();
    if (fate == Fate::lost_request || fate == Fate::lost_answer || back > timeout) {
      fate = Fate::lost_answer;
      back = timeout;
    }
    owner_.life_.after(back, [box, fate, fault = std::move(fault), done = std::move(done)] {
      done(fate == Fate::done ? **box : fault(fate));
    });
  }

 private:
  Berthd& owner_;
};

Berthd::Berthd(Agenda& agenda, const Clock& wall, Network& network, ApiServer& server, Laws& laws,
               Lease& lease, const conf::Config& config, std::string name)
    : life_(agenda),
      agenda_(agenda),
      clock_(wall, agenda),
      network_(network),
      server_(server),
      laws_(laws),
      lease_(lease),
      name_(std::move(name)),
      is_viewed_(config.steering.mode == "view"),
      leadership_(agenda),
      election_(leadership_, agenda, lease_of(name_),
                {[this](std::uint64_t epoch) {
                   core_.loop.start_leading(epoch);
                   wake();
                 },
                 [this] {
                   core_.loop.stop_leading();
                   wake();
                 },
                 [this, &agenda](const std::string& line) { agenda.note(name_ + ": " + line); },
                 [this] { return !is_viewed_ || view_.is_read(); }}),
      environment_(std::make_unique<BerthdEnvironment>(*this)),
      core_({.config = config,
             .environment = *environment_,
             .real_clock = agenda,
             .metrics = metrics_,
             .on_shown = [this] { life_.after(network_.hop() / 20, [this] { view_.follow(); }); },
             .log =
                 [this, &agenda](const std::string& line) {
                   agenda.note(name_ + ": " + line);
                   laws_.logged(line);
                 },
             .queue_capacity = std::size_t{1} << 20},
            engine::Scheduler::create(config.session).value()),
      view_(core_.view_parts([this](const std::string& what) {
        if (what.find("ends a watch") != std::string::npos) complaints_.push_back(what);
      })) {
  core_.service.add_routes(router_);
  for (const char* const path : kVerbPaths) {
    front_.add("POST", path, [this](const http::Request& request, http::Responder responder) {
      const auto kept = std::make_shared<http::Responder>(std::move(responder));
      life_.post([this, request, kept] {
        http::Request call = request;
        call.body.reserve(call.body.size() + http::kBodyPadding);
        router_.route(call, std::move(*kept));
      });
    });
  }
  window_.on_news([this] { life_.after(1ms, [this] { view_.read_window(); }); });
  for (const Kind kind : kKinds) {
    readers_.push_back(std::make_unique<Reader>(life_, network_, server_, kind, core_.events,
                                                kind == Kind::pod ? &window_ : nullptr,
                                                [this] { wake(); }));
  }
  wake();
  life_.after(100ms, [this] { tick(); });
  life_.after(10ms, [this] { campaign(election_.step()); });
}

Berthd::~Berthd() { core_.barrier.shutdown(); }

void Berthd::server_changed() {
  for (const auto& reader : readers_) reader->wake();
}

// Something has come for the session thread.
void Berthd::wake() {
  const TimePoint due = std::max(agenda_.now(), gathers_until_) + agenda_.between(0ns, 2ms);
  if (due >= next_step_) return;
  next_step_ = due;
  life_.after(due - agenda_.now(), [this, number = ++step_number_] {
    if (number == step_number_) step();
  });
}

void Berthd::step() {
  const bool is_synced = environment_->is_synced();
  const auto pause = core_.loop.step(core_.events.take({}), is_synced);
  gathers_until_ = pause.gathers_until;
  next_step_ = std::max(pause.until, agenda_.now() + 1ms);
  life_.after(next_step_ - agenda_.now(), [this, number = ++step_number_] {
    if (number == step_number_) step();
  });
  if (core_.events.has_news()) wake();
}

void Berthd::tick() {
  core_.barrier.expire(agenda_.now());
  if (view_.has_deferred()) view_.follow();
  if (core_.events.has_news()) wake();
  life_.after(100ms, [this] { tick(); });
}

// --- the lease, as a MachineThread carries its steps out ---------------------------------------

void Berthd::campaign(kubeapi::Step step) {
  if (step.request) {
    const Duration deadline = step.request->deadline;
    return environment_->request<kubeapi::Response>(
        [&lease = lease_, request = *std::move(step.request)] { return lease.answer(request); },
        response_of,
        [this](kubeapi::Response response) { campaign(election_.answered(std::move(response))); },
        deadline);
  }
  if (!step.pause) return agenda_.after(0ns, std::move(gone_));
  if (gone_) return campaign(election_.stop());
  is_campaign_paused_ = true;
  life_.after(*step.pause, [this] {
    if (std::exchange(is_campaign_paused_, false)) campaign(election_.step());
  });
}

// --- the end of a rollout, as App::stop has it -------------------------------------------------

void Berthd::retire(std::function<void()> gone) {
  is_retiring_ = true;
  core_.barrier.close();
  drain(agenda_.now() + 3s, std::move(gone));
}

// A gang of which some Bindings have been posted gets the others, too.
void Berthd::drain(TimePoint until, std::function<void()> gone) {
  if (core_.barrier.binding() > 0 && agenda_.now() < until) {
    return life_.after(
        10ms, [this, until, gone = std::move(gone)]() mutable { drain(until, std::move(gone)); });
  }
  core_.barrier.shutdown();
  gone_ = std::move(gone);
  if (std::exchange(is_campaign_paused_, false)) campaign(election_.stop());
}

}  // namespace berth::world
