#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>

#include "hostile/berth_loop.h"
#include "hostile/families.h"
#include "hostile/heap.h"

namespace berth::hostile {
namespace {

double cpu_ms() {
  timespec all{};
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
  const auto ms = [](const timespec& t) {
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
  };
  return ms(all) - ms(own);
}

std::size_t number_of(const char* name, std::size_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

ClusterEvent deletion_of(const ClusterEvent& event) {
  if (const auto* pod = std::get_if<PodObject>(&event)) return PodDeleted{pod->uid};
  if (const auto* group = std::get_if<PodGroupObject>(&event))
    return PodGroupDeleted{group->full_name()};
  if (const auto* budget = std::get_if<BudgetObject>(&event))
    return BudgetDeleted{budget->name_space + "/" + budget->name};
  if (const auto* storage = std::get_if<StorageObject>(&event))
    return StorageDeleted{storage->kind(), storage->full_name()};
  if (const auto* selecting = std::get_if<SelectingObject>(&event))
    return SelectingDeleted{selecting->kind, selecting->full_name()};
  std::abort();
}

TEST(Survey, All) {
  const std::size_t bytes = number_of("HOSTILE_BYTES", 100000);
  const std::size_t nodes = number_of("HOSTILE_NODES", 200);
  const char* only = std::getenv("HOSTILE_ONLY");
  heap::set_limit(number_of("HOSTILE_LIMIT_MB", 3000) << 20);
  std::fprintf(stderr, "%-26s %5s %9s %8s %8s %8s %8s %8s %8s %8s %8s\n", "family", "objs", "text",
               "decode", "create", "kept/tx", "peak/tx", "gang", "gang0", "left", "left2");
  for (const Family& family : families()) {
    if (only != nullptr && std::string(only) != family.name) continue;
    BerthLoop loop(static_cast<int>(nodes));
    EXPECT_TRUE(loop.plans_another_gang());
    loop.take_lines();
    EXPECT_TRUE(loop.plans_another_gang());
    loop.take_lines();
    double before = cpu_ms();
    EXPECT_TRUE(loop.plans_another_gang());
    const double gang0 = cpu_ms() - before;
    loop.take_lines();
    std::size_t start = heap::bytes();
    std::size_t size = 0, count = 0;
    double created = 0, gang = 0, decode = 0;
    std::size_t kept = 0, peak = 0;
    std::vector<long> left;
    bool planned = true;
    for (int generation = 0; generation < 2; ++generation) {
      std::vector<ClusterEvent> deletions;
      {
        const auto texts = family.objects(bytes, generation);
        size = 0;
        count = texts.size();
        std::vector<ClusterEvent> events;
        timespec t0{}, t1{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
        for (const auto& each : texts) {
          size += each.size();
          events.push_back(decoded(each));
          deletions.push_back(deletion_of(events.back()));
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t1);
        decode = double(t1.tv_sec - t0.tv_sec) * 1e3 + double(t1.tv_nsec - t0.tv_nsec) / 1e6;
        before = cpu_ms();
        heap::reset_peak();
        for (auto& each : events) loop.post(std::move(each));
      }
      loop.settle();
      loop.take_lines();
      created = cpu_ms() - before;
      kept = heap::bytes() - start;
      peak = heap::peak() - start;
      before = cpu_ms();
      planned = loop.plans_another_gang();
      gang = cpu_ms() - before;
      for (auto& each : deletions) loop.post(each);
      deletions = {};
      loop.settle();
      EXPECT_TRUE(loop.plans_another_gang());
      loop.take_lines();
      left.push_back(static_cast<long>(heap::bytes()) - static_cast<long>(start));
    }
    std::fprintf(stderr, "%-26s %5zu %9zu %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8ld %8ld%s\n",
                 family.name, count, size, decode, created, double(kept) / double(size),
                 double(peak) / double(size), gang, gang0, left[0], left[1],
                 planned ? "" : " NOT PLANNED");
  }
}

}  // namespace
}  // namespace berth::hostile
