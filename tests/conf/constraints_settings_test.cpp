#include <gtest/gtest.h>

#include <string>

#include "conf/config.h"

namespace berth::conf {
namespace {

Result<Config> read(const std::string& rest) {
  const KnownNames known{{"allocate"}, {"gang"}, {}};
  return load_config("actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n" + rest, "c.yaml",
                     known);
}

TEST(ConstraintsSettings, VolumesArePlannedForUnlessTheySayNo) {
  ASSERT_TRUE(read(""));
  EXPECT_TRUE(read("")->constraints.volumes);
  ASSERT_TRUE(read("constraints: {volumes: false}\n"));
  EXPECT_FALSE(read("constraints: {volumes: false}\n")->constraints.volumes);
}

TEST(ConstraintsSettings, OtherWordsAreRefused) {
  const auto odd = read("constraints: {volumes: some}\n");
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().to_string().find("constraints.volumes"), std::string::npos);
  const auto unknown = read("constraints: {volume: true}\n");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().to_string().find("did you mean \"volumes\""), std::string::npos)
      << unknown.error().to_string();
}

}  // namespace
}  // namespace berth::conf
