#include "tools/simulate/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tools/progress.h"
#include "tools/simulate/forecast_trial.h"

namespace berth::tools {

namespace {

std::atomic<bool> is_interrupted = false;  // set by a signal

extern "C" void note_interrupt(int /*signal*/) { is_interrupted.store(true); }

// While it lives, Ctrl-C asks for an early end; a second one ends the program.
class Interrupts {
 public:
  Interrupts() {
    struct sigaction action = {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~Interrupts() { sigaction(SIGINT, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  struct sigaction before_ = {};
};

// Runs the variants, several at once.
class Runs {
 public:
  Runs(const std::vector<Variant>& variants, const std::vector<Input>& inputs,
       const simulation::StreamTroubles& troubles, bool forecasts, Console& console)
      : variants_(variants),
        inputs_(inputs),
        count_(variants.size() * inputs.size()),
        troubles_(troubles),
        forecasts_(forecasts),
        progress_(console),
        done_(count_, 0),
        results_(count_) {}

  Result<std::vector<results::JudgedRun>> run() {
    begun_ = std::chrono::steady_clock::now();
    const std::size_t threads =
        std::min<std::size_t>(count_, std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back([this] { work(); });
    work();
    for (std::thread& each : others) each.join();
    progress_.clear();
    if (failure_) return *failure_;
    std::vector<results::JudgedRun> judged;
    for (results::RunResult& each : results_) judged.push_back(results::judged(std::move(each)));
    return judged;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < count_; i = next_++) run_one(i);
  }

  void run_one(std::size_t i) {
    const Variant& variant = variants_[i / inputs_.size()];
    const Input& input = inputs_[i % inputs_.size()];
    simulation::StreamRequest request;
    request.jobs = input.workload.jobs;
    request.nodes = input.nodes;
    request.node_changes = input.node_changes;
    request.others = input.workload.queues;
    request.config = variant.config;
    request.troubles = troubles_;
    request.on_progress = [&](std::size_t done) { return note_progress(i, done); };
    std::optional<ForecastTrial> trial;
    if (forecasts_) request.observer = &trial.emplace(input.workload, variant.config);
    const auto begun = std::chrono::steady_clock::now();
    Result<simulation::StreamResult> result = simulation::run_stream(std::move(request));
    const std::lock_guard lock(mutex_);
    if (!result) {
      failure_ = result.error();
      return;
    }
    results_[i] = result_of(input.workload, input.nodes, *result);
    results_[i].name = variant.name + input.name + (result->was_stopped ? " (stopped)" : "");
    if (trial) results_[i].forecasts = trial->measured();
    results_[i].seconds_of_computing =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

  bool note_progress(std::size_t run, std::size_t done) {
    const std::lock_guard lock(mutex_);
    done_[run] = done;
    std::size_t sum = 0;
    for (const std::size_t each : done_) sum += each;
    std::size_t all = 0;
    for (const Input& input : inputs_) all += input.workload.jobs.size() * variants_.size();
    const auto past = std::chrono::steady_clock::now() - begun_;
    const double seconds = std::chrono::duration<double>(past).count();
    const double left =
        sum == 0 ? 0 : seconds * static_cast<double>(all - sum) / static_cast<double>(sum);
    progress_.show(fmt::format("simulating: {} of {} jobs ({} %), {:.0f} s left", sum, all,
                               all == 0 ? 100 : 100 * sum / all, left));
    return !is_interrupted.load();
  }

  const std::vector<Variant>& variants_;
  const std::vector<Input>& inputs_;
  const std::size_t count_;  // of runs
  const simulation::StreamTroubles& troubles_;
  const bool forecasts_;
  std::chrono::steady_clock::time_point begun_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards what follows
  Progress progress_;
  std::vector<std::size_t> done_;
  std::vector<results::RunResult> results_;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::vector<results::JudgedRun>> run_all(const std::vector<Variant>& variants,
                                                const std::vector<Input>& inputs,
                                                const simulation::StreamTroubles& troubles,
                                                bool forecasts, Console& console) {
  is_interrupted.store(false);
  const Interrupts interrupts;
  return Runs(variants, inputs, troubles, forecasts, console).run();
}

}  // namespace berth::tools
