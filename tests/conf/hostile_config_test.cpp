// Configurations that nobody wrote.
#include <gtest/gtest.h>

#include "conf/config.h"
#include "conf/default_config.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::conf {
namespace {

TEST(HostileConfig, IsReadOrRefused) {
  const std::string text(default_config_text());
  const KnownNames known{{"allocate", "backfill", "elect", "enqueue", "reserve"},
                         {"binpack", "conformance", "drf", "gang", "nodeorder", "overcommit",
                          "predicates", "priority", "proportion", "reservation", "sla"},
                         {"predicate"}};
  for (const std::uint64_t seed : support::seeds(1'500)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const auto config = load_config(support::Damage(seed).of(text), "c.yaml", known);
    ASSERT_TRUE(config || !config.error().message.empty());
  }
}

}  // namespace
}  // namespace berth::conf
