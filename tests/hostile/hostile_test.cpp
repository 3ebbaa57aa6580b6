// The cost of objects of one namespace: the memory of berthd, counted, and the time until a gang of
// another team is planned. docs/SECURITY.md has the figures; HOSTILE_BYTES, HOSTILE_NODES and
// HOSTILE_LIMIT_MB take others. Times are printed, and decide nothing.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "hostile/api_text.h"
#include "hostile/berth_loop.h"
#include "hostile/families.h"
#include "hostile/heap.h"
#include "model/object_keys.h"

namespace berth::hostile {
namespace {

// BOUND-1 to BOUND-6: so many bytes for each byte of text, and for each object besides.
constexpr std::size_t kKeptOfText = 16;
constexpr std::size_t kKeptOfObject = 20000;
// BOUND-7: what may be left when all of them are gone, in bytes.
constexpr std::size_t kLeft = 400000;

std::size_t number_of(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// The processor time of all threads but this one.
double session_ms() {
  const auto ms = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
  };
  return ms(CLOCK_PROCESS_CPUTIME_ID) - ms(CLOCK_THREAD_CPUTIME_ID);
}

class Hostile : public testing::Test {
 protected:
  struct Cost {
    std::size_t objects = 0, text = 0;  // bytes
    std::size_t kept = 0, peak = 0;     // bytes
    double create_ms = 0, gang_ms = 0;
  };

  Hostile() : loop_(int(number_of("HOSTILE_NODES", 100))) {
    heap::set_limit(number_of("HOSTILE_LIMIT_MB", 4000) << 20);
    // Memory that is taken once, by protobuf's descriptors, too.
    decoded(R"({"kind":"Pod","metadata":{"name":"first"}})");
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(loop_.plans_another_gang());
    start_ = heap::bytes();
  }

  // Adds to these costs.
  void create(const std::vector<std::string>& texts, Cost& cost) {
    const double before = session_ms();
    heap::reset_peak();
    for (const std::string& each : texts) {
      cost.text += each.size();
      ++cost.objects;
      ClusterEvent event = decoded(each);
      deletions_.push_back(deletion_of(event));
      loop_.post(event);
    }
    loop_.settle();
    loop_.take_writes();
    cost.create_ms = session_ms() - before;
    cost.kept = kept();
    cost.peak = heap::peak() - start_;
  }
  void time_gang(Cost& cost) {
    const double before = session_ms();
    EXPECT_TRUE(loop_.plans_another_gang());
    cost.gang_ms = session_ms() - before;
  }
  // Returns what is left then.
  std::size_t remove_all() {
    for (const ClusterEvent& each : deletions_) loop_.post(each);
    deletions_ = std::vector<ClusterEvent>();
    loop_.settle();
    EXPECT_TRUE(loop_.plans_another_gang());
    return kept();
  }
  std::size_t kept() const { return heap::bytes() > start_ ? heap::bytes() - start_ : 0; }

  static void print(const char* name, const Cost& cost, std::size_t left) {
    std::fprintf(
        stderr,
        "%-26s %5zu objects %8zu bytes: kept %5.1f, peak %5.1f bytes for a byte, left %7zu; "
        "create %7.1f ms, gang %6.1f ms\n",
        name, cost.objects, cost.text, double(cost.kept) / double(cost.text),
        double(cost.peak) / double(cost.text), left, cost.create_ms, cost.gang_ms);
  }
  static void expect_within_bounds(const Cost& cost) {
    EXPECT_LE(cost.kept, kKeptOfText * cost.text + kKeptOfObject * cost.objects);
  }

  BerthLoop loop_;
  std::size_t start_ = 0;
  std::vector<ClusterEvent> deletions_;
};

class HostileFamily : public Hostile, public testing::WithParamInterface<Family> {};

// Another generation brings other names, so what the first one left would be seen.
TEST_P(HostileFamily, CostsWhatItsTextCostsAndNothingAfterwards) {
  const std::size_t bytes = number_of("HOSTILE_BYTES", 120000);
  for (int generation = 0; generation < 2; ++generation) {
    Cost cost;
    create(GetParam().objects(bytes, generation), cost);
    time_gang(cost);
    expect_within_bounds(cost);
    const std::size_t left = remove_all();
    EXPECT_LE(left, kLeft);
    if (generation > 0) print(GetParam().name, cost, left);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostileFamily, testing::ValuesIn(families()),
                         [](const auto& test) { return std::string(test.param.name); });

// Many pods of one name, one after the other, each with other names in it.
TEST_F(Hostile, BOUND7NamesThatComeAndGoLeaveNothing) {
  Cost cost;
  for (int generation = 0; generation < 4; ++generation) {
    for (const Family& family : families()) {
      const std::string name = family.name;
      const bool is_meant =
          name == "resources_of_pods" || name == "labels" || name == "group_roles";
      if (is_meant) create(family.objects(40000, generation), cost);
    }
    EXPECT_LE(remove_all(), kLeft);
  }
}

// Each has a namespace of its own, so that each has its whole bounds.
std::vector<std::string> all_families(int generation) {
  std::vector<std::string> texts;
  for (const Family& family : families()) {
    const std::string own = "evil-" + std::to_string(texts.size());
    for (std::string each : family.objects(number_of("HOSTILE_BYTES", 30000), generation)) {
      const std::string evil = R"("namespace":"evil")";
      each.replace(each.find(evil), evil.size(), R"("namespace":")" + own + "\"");
      const std::string uid = R"("uid":")";
      each.insert(each.find(uid) + uid.size(), own);
      texts.push_back(std::move(each));
    }
  }
  return texts;
}

// Tables keep room for what they once had. It is used again.
TEST_F(Hostile, AllFamiliesAtOnceDelayNobody) {
  std::size_t left_before = 0;
  for (int generation = 0; generation < 2; ++generation) {
    Cost cost;
    create(all_families(generation), cost);
    time_gang(cost);
    expect_within_bounds(cost);
    const std::size_t left = remove_all();
    print("all at once", cost, left);
    EXPECT_LE(left, cost.kept / 3);
    if (generation > 0) EXPECT_LE(left, left_before + kLeft);
    left_before = left;
  }
}

// BOUND-4: a session looks at 1,000 kinds of pods of one namespace, and not at more.
TEST_F(Hostile, BOUND4ANamespaceFullOfKindsDelaysNobody) {
  std::vector<std::string> texts;
  for (int p = 0; p < 1500; ++p) {
    Pod one{.metadata = {.name = "p-" + std::to_string(p)}};
    one.cpu = std::to_string(15001 + p % 1000) + "m";  // waits: pods of others are there
    one.spec = R"("nodeSelector":{"example.com/label-)" + std::to_string(p / 150) + "\":\"0\"}";
    texts.push_back(pod(one));
  }
  Cost cost;
  create(texts, cost);
  time_gang(cost);
  expect_within_bounds(cost);
  const std::size_t left = remove_all();
  EXPECT_LE(left, cost.kept / 3);  // tables keep room, as above
  print("kinds", cost, left);
}

}  // namespace
}  // namespace berth::hostile
