#include "daemon/flags.h"

#include <gtest/gtest.h>

#include <optional>

namespace berth::daemon {
namespace {

struct Case {
  std::string text;
  std::optional<Endpoint> endpoint;  // none: refused
};

TEST(ParseEndpoint, TakesAnAddressAndAPort) {
  const Case cases[] = {
      {"127.0.0.1:8890", Endpoint{"127.0.0.1", 8890}},
      {"0.0.0.0:0", Endpoint{"0.0.0.0", 0}},
      {"[::1]:0", Endpoint{"::1", 0}},
      {"::1:443", Endpoint{"::1", 443}},
      {"1.2.3.4:65535", Endpoint{"1.2.3.4", 65535}},
      {"", {}},
      {":8890", {}},
      {"127.0.0.1", {}},
      {"127.0.0.1:", {}},
      {"127.0.0.1:65536", {}},
      {"127.0.0.1:-1", {}},
      {"127.0.0.1:+1", {}},
      {"127.0.0.1:80x", {}},
      {"127.0.0.1: 80", {}},
      {"127.0.0.1:http", {}},
      {"[]:80", {}},
      {"[::1:80", {}},
      {"::1]:80", {}},
      {"[::1]", {}},
      {"[:80", {}},
  };
  for (const auto& [text, expected] : cases) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_EQ(endpoint.has_value(), expected.has_value()) << text;
    if (!expected) {
      EXPECT_EQ(endpoint.error().to_string(),
                "--listen: \"" + text + "\" is not an endpoint; expected ADDRESS:PORT");
      continue;
    }
    EXPECT_EQ(endpoint->address, expected->address) << text;
    EXPECT_EQ(endpoint->port, expected->port) << text;
  }
}

// The output on both streams, and the exit status.
struct Parsed {
  std::variant<Flags, int> result;
  std::string out;
  std::string err;

  int status() const {
    const int* status = std::get_if<int>(&result);
    return status == nullptr ? -1 : *status;
  }
};

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "berthd");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  auto result = parse_flags(static_cast<int>(words.size()), words.data());
  Parsed parsed{std::move(result), testing::internal::GetCapturedStdout(), ""};
  parsed.err = testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(ParseFlags, TakesThemAll) {
  const Parsed parsed =
      parse({"--embedded", "a", "--embedded", "b", "--config", "c", "--listen", "1.2.3.4:5",
             "--speed", "2.5", "--exit-when-settled", "--exit-after", "7", "--log-json", "-v"});
  ASSERT_EQ(parsed.status(), -1) << parsed.err;
  const Flags& flags = std::get<Flags>(parsed.result);
  EXPECT_EQ(flags.embedded, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(flags.config_file, "c");
  EXPECT_EQ(flags.listen, "1.2.3.4:5");
  EXPECT_EQ(flags.speed, 2.5);
  EXPECT_TRUE(flags.exit_when_settled);
  EXPECT_EQ(flags.exit_after_s, 7);
  EXPECT_TRUE(flags.json_log);
  EXPECT_TRUE(flags.verbose);
}

TEST(ParseFlags, AnUnknownFlagGetsASuggestion) {
  const Parsed parsed = parse({"--embedded=a", "--conifg=b"});
  EXPECT_EQ(parsed.status(), 2);
  EXPECT_EQ(parsed.err, "--conifg: no such flag of berthd; did you mean \"--config\"?\n");
}

TEST(ParseFlags, HelpIsAWordTooAndTheManualIsMadeOfTheSameTree) {
  const Parsed help = parse({"help"});
  EXPECT_EQ(help.status(), 0);
  EXPECT_EQ(help.out, parse({"--help"}).out);
  EXPECT_EQ(help.out.find("--manual"), std::string::npos);
  const Parsed manual = parse({"--manual"});
  EXPECT_EQ(manual.status(), 0);
  for (const char* part : {".TH BERTHD 8", "berthd \\- runs batch", ".SH EXAMPLES", "\\-\\-listen",
                           ".SH EXIT STATUS"}) {
    EXPECT_NE(manual.out.find(part), std::string::npos) << part << "\n" << manual.out;
  }
}

TEST(ParseFlags, AnErrorNamesTheFlagAndEndsWithStatus2) {
  const std::pair<std::vector<const char*>, const char*> cases[] = {
      {{"--embedded", "a", "--speed", "0"}, "--speed"},
      {{"--embedded", "a", "--speed", "-1"}, "--speed"},
      {{"--embedded", "a", "--speed", "nan"}, "--speed"},
      {{"--embedded", "a", "--speed", "inf"}, "--speed"},
      {{"--embedded", "a", "--speed", "1x"}, "--speed"},
      {{"--embedded", "a", "--speed"}, "--speed"},
      {{"--embedded", "a", "--exit-after", "-1"}, "--exit-after"},
      {{"--embedded", "a", "--exit-after", "soon"}, "--exit-after"},
      {{"--embedded", "a", "--no-such-flag"}, "--no-such-flag"},
      {{"--embedded", "a", "--config"}, "--config"},
      {{"--embedded"}, "--embedded"},
      {{}, "--embedded"},
      {{"--speed", "2"}, "--embedded"},
  };
  for (const auto& [words, flag] : cases) {
    const Parsed parsed = parse(words);
    EXPECT_EQ(parsed.status(), 2) << flag;
    EXPECT_NE(parsed.err.find(flag), std::string::npos) << flag << ": " << parsed.err;
    EXPECT_EQ(parsed.out, "") << flag;
  }
}

TEST(ParseFlags, HelpAndVersionGoToStandardOutput) {
  const Parsed help = parse({"--help"});
  EXPECT_EQ(help.status(), 0);
  for (const char* word : {"--embedded", "--config", "--listen", "--speed", "--exit-when-settled",
                           "Examples:", "/readyz", "FILE|DIR"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(help.err, "");
  const Parsed version = parse({"--version"});
  EXPECT_EQ(version.status(), 0);
  EXPECT_EQ(version.out, "berthd " BERTH_VERSION "\n");
}

}  // namespace
}  // namespace berth::daemon
