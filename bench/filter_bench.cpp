// The cost of a filter call for kube-scheduler: a round trip on a kept connection over loopback,
// while sessions run on another thread as fast as they can, and with or without people who look at
// the page. docs/performance.md.

#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "daemon/publish.h"
#include "daemon/thread_priority.h"
#include "extender/service.h"
#include "http/http_client.h"
#include "http/http_server.h"
#include "http/router.h"
#include "page/collector.h"
#include "page/history.h"
#include "page/stream.h"
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

// The page with 64 requests that wait for changes, as browsers ask, and a client that asks for the
// whole state again and again and reads nothing.
class Lookers {
 public:
  Lookers() {
    router_.add("GET", "/page/state", [this](const auto& request, http::Responder responder) {
      stream_.request(request.query, std::move(responder));
    });
    if (!server_->start()) std::abort();
    stream_.start();
    for (std::size_t i = 0; i < page::Stream::kWaitingMost - 1; ++i) {
      browsers_.emplace_back([this] { look(); });
    }
    browsers_.emplace_back([this] { ask_without_reading(); });
  }
  ~Lookers() {
    stopping_ = true;
    stream_.stop();
    (void)server_->stop(std::chrono::seconds(0));
    for (std::thread& each : browsers_) each.join();
  }

  // Between two sessions, on their thread. So many pods have changed.
  void answer(Cluster& cluster, std::size_t pods) {
    page::Stream::Take take;
    {
      const std::lock_guard lock(mutex_);
      take = std::exchange(take_, nullptr);
    }
    if (take == nullptr) return;
    for (std::size_t t = 0; t < std::min(pods, cluster.task_slots()); ++t) {
      const Task task = cluster.task(TaskId(t));
      if (task.status != TaskStatus::running) continue;
      cluster.move_task(TaskId(t), task.node, TaskStatus::releasing);
      cluster.move_task(TaskId(t), task.node, TaskStatus::running);
    }
    now_ += std::chrono::seconds(1);
    take(collector_.collect(cluster, reasons_, now_));
  }
  std::size_t answers() const { return answers_; }

 private:
  void look() {
    const auto client =
        http::HttpClient::create({"http://127.0.0.1:" + std::to_string(server_->port())});
    std::string target = "/page/state";
    while (!stopping_) {
      const auto reply = (*client)->get(target, std::chrono::seconds(30));
      if (!reply || reply->status != 200) continue;
      ++answers_;
      const std::size_t at = reply->body.find("\"version\":") + 10;
      target = "/page/state?instance=bench&after=" +
               reply->body.substr(at, reply->body.find(',', at) - at);
    }
  }
  void ask_without_reading() const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    const std::string text = "GET /page/state HTTP/1.1\r\nHost: x\r\n\r\n";
    for (int i = 0; i < 1'000; ++i) (void)send(socket, text.data(), text.size(), MSG_DONTWAIT);
    while (!stopping_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    close(socket);
  }

  page::Collector collector_;
  page::History history_;
  SteadyClock clock_;
  TimePoint now_{std::chrono::hours(24 * 365 * 50)};
  reconcile::Waiting waiting_;
  page::Collector::Reasons reasons_{[](JobId) { return std::string(); },
                                    [this](JobId) { return waiting_; }};
  std::mutex mutex_;
  page::Stream::Take take_;
  page::Stream stream_{{.instance = "bench",
                        .version = "0",
                        .ask =
                            [this](page::Stream::Take take) {
                              const std::lock_guard lock(mutex_);
                              take_ = std::move(take);
                            },
                        .history = history_,
                        .queues = [] { return nullptr; },
                        .reservations = [] { return nullptr; },
                        .real_clock = clock_,
                        .on_start = daemon::lower_thread_priority}};
  http::Router router_;
  std::unique_ptr<http::HttpServer> server_ =
      http::make_http_server(http::ServerOptions{}, router_.handler());
  std::vector<std::thread> browsers_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> answers_ = 0;
};

// 5,000 nodes, 20,000 planned pods, and a thread that plans 20,000 more again and again. Tables are
// published after each.
class World {
 public:
  // `rest`: the time between two sessions. `running`: pods beside those that are planned.
  // `lookers`: may be null.
  World(std::chrono::milliseconds rest, std::size_t running, Lookers* lookers) {
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
    sessions_ = std::thread([this, rest, running, lookers] {
      daemon::lower_thread_priority();
      mirror::Mirror other;
      Load again;
      again.running_pods = running;
      again.pending_pods = 20'000;
      fill(other, again);
      auto scheduler = engine::Scheduler::create(default_config());
      while (!stopping_) {
        benchmark::DoNotOptimize(scheduler->run(other.cluster_for_session(), TimePoint{}));
        published_.store(make_table());
        if (lookers != nullptr) lookers->answer(other.cluster_for_session(), 4'000);
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
  std::optional<Lookers> lookers;
  if (state.range(4) == 1) lookers.emplace();
  World world(std::chrono::milliseconds(state.range(2)), static_cast<std::size_t>(state.range(3)),
              lookers ? &*lookers : nullptr);
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
  if (lookers) state.counters["answers"] = static_cast<double>(lookers->answers());
  state.counters["bytes"] = static_cast<double>(body.size());
}
BENCHMARK(Filter)
    ->ArgNames({"names", "ours", "rest_ms", "running", "lookers"})
    ->ArgsProduct({{1, 500, 5'000}, {1, 0}, {0, 10}, {0}, {0}})
    ->Iterations(2'000)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
// Pairs, without and with people who look.
BENCHMARK(Filter)
    ->ArgNames({"names", "ours", "rest_ms", "running", "lookers"})
    ->ArgsProduct({{500}, {1}, {100}, {20'000}, {0, 1}})
    ->Iterations(40'000)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::bench
