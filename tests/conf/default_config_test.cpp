#include "conf/default_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "conf/config.h"
#include "support/checkout.h"

namespace berth::conf::default_config_test {
namespace {

const KnownNames kKnown{
    {"allocate", "backfill", "cleanup", "elect", "enqueue", "preempt", "reclaim", "reserve"},
    {"binpack", "conformance", "drf", "elastic", "fragmentation", "gang", "nodeorder", "overcommit",
     "pdb", "predicates", "priority", "proportion", "reservation"},
    {}};

std::string contents(const std::string& path) {
  std::ifstream stream(support::source_file(path));
  EXPECT_TRUE(stream.is_open()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The lines of actions, configurations and tiers, without comments: they decide.
std::vector<std::string> decisive_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  bool is_decisive = false;
  for (std::string line; std::getline(stream, line);) {
    line.resize(std::min(line.size(), line.find('#')));
    line.resize(line.find_last_not_of(' ') + 1);
    if (line.empty()) continue;
    if (line.front() != ' ') {
      const std::string key = line.substr(0, line.find(':'));
      is_decisive = key == "actions" || key == "configurations" || key == "tiers";
    }
    if (is_decisive) lines.push_back(line);
  }
  return lines;
}

TEST(DefaultConfig, is_what_deployments_have) {
  const std::vector<std::string> lines = decisive_lines(default_config_text());
  EXPECT_GT(lines.size(), 40U);
  EXPECT_EQ(decisive_lines(contents("deploy/kustomize/base/berth.yaml")), lines);
}

// Decision 37.
TEST(DefaultConfig, lends_kept_nodes_by_limits_and_lets_no_job_starve) {
  for (const char* const file : {"config/berth.yaml", "config/examples/spread.yaml"}) {
    Result<Config> config = load_config(contents(file), file, kKnown);
    ASSERT_TRUE(config.has_value()) << config.error().to_string();
    EXPECT_EQ(config->session.action_arguments.at("backfill").text("behind", ""), "easy");
    const auto reservation =
        std::find_if(config->session.tiers[0].begin(), config->session.tiers[0].end(),
                     [](const auto& each) { return each.plugin.name == "reservation"; });
    ASSERT_NE(reservation, config->session.tiers[0].end());
    engine::Arguments& arguments = reservation->arguments;
    EXPECT_EQ(arguments.thousandths("max-locked-nodes", 0, 0, 1000), 500);
    EXPECT_EQ(arguments.duration("unbounded-after", Duration(0), Duration(0), Duration::max()),
              std::chrono::hours(6));
  }
}

}  // namespace
}  // namespace berth::conf::default_config_test
