// The cost of a filter call for kube-scheduler: a round trip on a kept connection over loopback,
// while sessions run on another thread as fast as they can. docs/performance.md.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "daemon/publish.h"
#include "daemon/thread_priority.h"
#include "extender/service.h"
#include "http/http_client.h"
#include "http/http_server.h"
#include "http/router.h"
#include "ports/published.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

class NoEvents final : public ports::EventSink {
 public:
  void post(ClusterEvent) override {}
};

class NoBinder final : public ports::Binder {
 public:
  void bind(const ports::Binding&, std::function<void(ports::BindOutcome)> done) override {
    done({true, ""});
  }
};

// 5,000 nodes, 20,000 planned pods, and a thread that plans 20,000 more again and again. Tables are
// published after each.
class World {
 public:
  // `rest`: the time between two sessions.
  explicit World(std::chrono::milliseconds rest) {
    Load load;
    load.pending_pods = 20'000;
    fill(mirror_, load);
    scheduler_ = std::make_unique<engine::Scheduler>(
        std::move(*engine::Scheduler::create(default_config())));
    const Plan plan = scheduler_->run(mirror_.cluster_for_session(), TimePoint{});
    mirror_.assume(plan, TimePoint());
    const Task& planned = mirror_.cluster().task(plan.binds.front().task);
    uid_ = planned.uid;
    node_ = mirror_.cluster().node(plan.binds.front().node).name;
    published_.store(make_table());
    service_.add_routes(router_);
    if (!server_->start()) std::abort();
    sessions_ = std::thread([this, rest] {
      daemon::lower_thread_priority();
      mirror::Mirror other;
      Load again;
      again.pending_pods = 20'000;
      fill(other, again);
      auto scheduler = engine::Scheduler::create(default_config());
      while (!stopping_) {
        benchmark::DoNotOptimize(scheduler->run(other.cluster_for_session(), TimePoint{}));
        published_.store(make_table());
        std::this_thread::sleep_for(rest);
      }
    });
  }
  ~World() {
    stopping_ = true;
    sessions_.join();
    (void)server_->stop(std::chrono::seconds(1));
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  const std::string& planned_uid() const { return uid_; }
  const std::string& planned_node() const { return node_; }
  const Cluster& cluster() const { return mirror_.cluster(); }

 private:
  std::shared_ptr<const ports::PlanTable> make_table() const {
    return daemon::make_plan_table(mirror_.cluster(), {{"berth"}, 1});
  }

  mirror::Mirror mirror_;
  std::unique_ptr<engine::Scheduler> scheduler_;
  std::string uid_;
  std::string node_;
  NoEvents events_;
  NoBinder binder_;
  SystemClock clock_;
  ports::Published<ports::PlanTable> published_{std::make_shared<const ports::PlanTable>()};
  extender::Moves moves_;
  extender::GangBarrier barrier_{{}, published_, moves_, binder_, events_};
  extender::AttemptLog attempts_{barrier_, clock_};
  extender::Service service_{published_, barrier_, events_, clock_, moves_, attempts_};
  http::Router router_;
  std::unique_ptr<http::HttpServer> server_ =
      http::make_http_server(http::ServerOptions{}, router_.handler());
  std::thread sessions_;
  std::atomic<bool> stopping_ = false;
};

// A call as kube-scheduler sends it: a pod of about 6 KB and the names of the nodes that passed.
std::string filter_body(const World& world, std::size_t names, bool managed) {
  std::string noise;
  for (int i = 0; i < 60; ++i) {
    noise += R"({"name":"VARIABLE_)" + std::to_string(i) +
             R"(","value":"a value that nobody reads but that has to be passed over"},)";
  }
  noise.pop_back();
  std::string body = R"({"Pod":{"metadata":{"name":"p","namespace":"bench","uid":")" +
                     (managed ? world.planned_uid() : std::string("somebody")) +
                     R"("},"spec":{"schedulerName":")" + (managed ? "berth" : "default-scheduler") +
                     R"(","containers":[{"name":"c","image":"i","env":[)" + noise +
                     R"(],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}},)" +
                     R"("Nodes":null,"NodeNames":[")" + world.planned_node() + '"';
  for (std::size_t n = 0; n + 1 < names; ++n) {
    body += ",\"" + world.cluster().node(NodeId(n)).name + '"';
  }
  return body + "]}";
}

void Filter(benchmark::State& state) {
  World world(std::chrono::milliseconds(state.range(2)));
  const bool managed = state.range(1) == 1;
  const std::string body = filter_body(world, static_cast<std::size_t>(state.range(0)), managed);
  auto client = http::HttpClient::create({world.url()});
  std::vector<double> micros;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto reply = (*client)->post("/plan/filter", body);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (!reply || reply->status != 200) state.SkipWithError("the call failed");
    micros.push_back(took.count());
  }
  std::sort(micros.begin(), micros.end());
  if (micros.empty()) return;
  state.counters["p50_us"] = micros[micros.size() / 2];
  state.counters["p99_us"] = micros[micros.size() * 99 / 100];
  state.counters["bytes"] = static_cast<double>(body.size());
}
BENCHMARK(Filter)
    ->ArgNames({"names", "ours", "rest_ms"})
    ->ArgsProduct({{1, 500, 5'000}, {1, 0}, {0, 10}})
    ->Iterations(2'000)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::bench

BENCHMARK_MAIN();
