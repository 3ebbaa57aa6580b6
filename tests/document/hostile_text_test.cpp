// Texts that neither kubectl nor a person writes. The readers return a value or an Error, soon.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "document/checked.h"
#include "document/readers.h"
#include "support/checkout.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::document {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(support::source_file(path));
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Asks each value for everything that it could be.
void ask(const Cursor& at) {
  (void)at.text();
  (void)at.integer(0, -5, 5);
  (void)at.boolean(false);
  (void)at.time();
  (void)at.duration({});
  (void)at.scalar();
  (void)duration_within(at, {}, {});
  (void)dns_label(at, "");
  (void)dns_subdomain(at, "");
  (void)resource_name(at);
  (void)ip_address(at, "");
  if (at.value() == nullptr) return;
  if (at.value()->kind == Kind::list) {
    for (const Cursor& item : at.items()) ask(item);
  }
  if (at.value()->kind == Kind::map) {
    for (const auto& [key, value] : at.entries()) ask(value);
  }
}

void ask_all(const Value& value) {
  Reading reading(value, "f");
  ask(reading.root());
  EXPECT_TRUE(!reading.failed() || !reading.error().message.empty());
}

TEST(HostileText, AsJsonIsReadOrRefused) {
  const std::string text = contents("tests/kubeapi/testdata/everything.json");
  for (const std::uint64_t seed : support::seeds(1'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const std::string damaged = support::Damage(seed).of(text);
    const auto value = parse_json(damaged, "f.json");
    ASSERT_TRUE(value || !value.error().message.empty());
    if (value) ask_all(*value);
    const Status read = read_json(damaged, "f.json", [](Value each, const ListHead&) -> Status {
      return each.kind == Kind::null ? Status(Error{"null", ""}) : Status(Done{});
    });
    ASSERT_TRUE(read || !read.error().message.empty());
  }
}

TEST(HostileText, AsYamlIsReadOrRefused) {
  const std::vector<std::string> texts{
      contents("config/berth.yaml"),
      "a: &x [1, {b: 'c', \"d\": \"e\\n\"}]\ny: *x\n---\n- |\n  text\n- >-\n  folded\n- !!str 7\n"};
  for (const std::uint64_t seed : support::seeds(2'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const std::string damaged = support::Damage(seed).of(texts[seed % texts.size()]);
    const Status read = read_yaml(damaged, "f.yaml", [](Value each, const ListHead&) -> Status {
      ask_all(each);
      return Done{};
    });
    ASSERT_TRUE(read || !read.error().message.empty());
  }
}

TEST(HostileText, AsYamlEndsAtATokenThatBeginsNoDocument) {
  for (const char* text : {"- |\n  text\n,- >-\n", "a: 1\n]\n", "- a\n}", "---\n- |\n  b\n, c\n"}) {
    const auto value = parse_yaml(text, "f.yaml");
    ASSERT_FALSE(value) << text;
    EXPECT_NE(value.error().to_string().find("f.yaml:"), std::string::npos);
  }
}

}  // namespace
}  // namespace berth::document
