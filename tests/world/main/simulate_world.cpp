#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "world/shrink.h"
#include "world/world.h"

// Runs worlds by their seeds, on all cores, and shrinks one that breaks a law
// (docs/contributing.md).

namespace {

using berth::world::Faults;
using berth::world::Outcome;
using berth::world::Setup;

struct Options {
  std::vector<std::string> seeds{"1-100"};
  Setup setup;
  std::string faults;
  int seconds = 0;
  unsigned processes = std::max(1U, std::thread::hardware_concurrency());
  bool goes_on = false;
  bool is_whole = false;
  bool stops = false;
  std::string story;
};

std::vector<std::uint64_t> seeds_of(const std::vector<std::string>& words) {
  std::vector<std::uint64_t> seeds;
  for (const std::string& word : words) {
    const std::size_t dash = word.find('-');
    const std::uint64_t first = std::stoull(word);
    const std::uint64_t last =
        dash == std::string::npos ? first : std::stoull(word.substr(dash + 1));
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  }
  return seeds;
}

struct Result {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
  std::uint64_t broken = 0;
  std::uint64_t kept = 0;
};

constexpr unsigned kSecondsMost = 600;

// A world in a process of its own: one that crashes, or does not end, is a broken world.
Result run_apart(const Setup& setup) {
  Result result{setup.seed, 0, 1, 0};
  int ends[2];
  if (pipe(ends) != 0) return result;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsMost);
    const Outcome outcome = berth::world::run(setup);
    const Result found{setup.seed, outcome.steps, outcome.broken.size(), outcome.kept};
    std::_Exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
  }
  close(ends[1]);
  Result found;
  if (read(ends[0], &found, sizeof found) == sizeof found) result = found;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return result;
}

// Each process takes every n-th seed.
void work(const Options& options, const std::vector<std::uint64_t>& seeds, std::size_t part,
          int to) {
  for (std::size_t i = part; i < seeds.size(); i += options.processes) {
    Setup setup = options.setup;
    setup.seed = seeds[i];
    const Result result = run_apart(setup);
    if (write(to, &result, sizeof result) != sizeof result) std::_Exit(1);
  }
}

// A progress line, and the seeds that break a law or the program.
std::vector<std::uint64_t> run_all(const Options& options,
                                   const std::vector<std::uint64_t>& seeds) {
  int ends[2];
  if (pipe(ends) != 0) return seeds;
  std::vector<pid_t> workers;
  for (unsigned part = 0; part < options.processes; ++part) {
    if (const pid_t worker = fork(); worker != 0) {
      workers.push_back(worker);
      continue;
    }
    close(ends[0]);
    work(options, seeds, part, ends[1]);
    std::_Exit(0);
  }
  close(ends[1]);
  const auto begin = std::chrono::steady_clock::now();
  std::map<std::uint64_t, bool> is_broken;
  for (const std::uint64_t seed : seeds) is_broken[seed] = true;  // until its result comes
  std::uint64_t done = 0, steps = 0, broken = 0, kept = 0;
  Result result;
  while (read(ends[0], &result, sizeof result) == sizeof result) {
    is_broken[result.seed] = result.broken > 0;
    steps += result.steps;
    kept = std::max(kept, result.kept);
    broken += result.broken > 0 ? 1 : 0;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "\r{}/{} worlds, {} broken, {} steps, {:.0f} steps/s, {} bytes kept ",
               ++done, seeds.size(), broken, steps, static_cast<double>(steps) / took.count(),
               kept);
    if (options.stops && result.broken > 0) {
      fmt::print("world {} is broken (worlds run: {})\n", result.seed, done);
      break;
    }
  }
  fmt::print(stderr, "\n");
  for (const pid_t worker : workers) kill(worker, SIGKILL);
  while (wait(nullptr) > 0) {
  }
  std::vector<std::uint64_t> failing;
  for (const auto& [seed, fails] : is_broken) {
    if (fails) failing.push_back(seed);
  }
  return failing;
}

void explain(const Options& options, std::uint64_t seed) {
  Setup small = options.setup;
  small.seed = seed;
  if (!options.is_whole) {
    small = shrink(
        small, [](const Setup& setup) { return run_apart(setup).broken > 0; },
        [](const std::string& step) { fmt::print(stderr, "\rsmaller: {}\033[K", step); });
  }
  fmt::print(stderr, "\n");
  small.story = options.story.empty() ? fmt::format("world-{}.txt", seed) : options.story;
  run_apart(small);
  fmt::print("seed {}\nagain: simulate-world {}\nits story: {}\n", seed, options_of(small),
             small.story);
  std::ifstream story(small.story);
  for (std::string line; std::getline(story, line);) {
    if (line.find("BROKEN: ") != std::string::npos) fmt::print("{}\n", line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Runs worlds: a berthd and a kube-scheduler in a cluster where things go wrong.");
  app.add_option("seeds", options.seeds, "7 or 1-1000; 1-100 without any");
  app.add_option("--nodes", options.setup.nodes);
  app.add_option("--jobs", options.setup.jobs);
  app.add_option("--seconds", options.seconds, "of the world, in which things go wrong");
  app.add_option("--faults", options.faults, "'cut=20 berthd-kill'; by the seed without");
  app.add_option("--processes", options.processes);
  app.add_flag("--weigh", options.setup.weighs, "look for what a berthd keeps of what is gone");
  app.add_option("--story", options.story, "file for the story of a broken world");
  app.add_flag("--whole", options.is_whole, "do not look for a smaller world that breaks a law");
  app.add_flag("--stop", options.stops, "at the first broken world; explain nothing");
  app.add_flag("--all", options.goes_on, "explain each broken world, not only the first");
  CLI11_PARSE(app, argc, argv);
  if (options.seconds > 0) options.setup.faulty = std::chrono::seconds(options.seconds);
  if (app.count("--faults") > 0) options.setup.faults = Faults::of(options.faults);
  const std::vector<std::uint64_t> failing = run_all(options, seeds_of(options.seeds));
  if (options.stops) return failing.empty() ? 0 : 1;
  if (!failing.empty()) fmt::print("broken: {}\n", fmt::join(failing, " "));
  for (const std::uint64_t seed : failing) {
    explain(options, seed);
    if (!options.goes_on) break;
  }
  return failing.empty() ? 0 : 1;
}
