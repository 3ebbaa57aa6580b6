#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "support/checkout.h"
#include "tools/berth_process.h"

// Refused input: the messages, and no output.

namespace berth::tools {
namespace {

struct Refused {
  const char* name;
  std::vector<std::string> arguments;
  std::string says;  // a part of standard error
};

class BadInput : public testing::TestWithParam<Refused> {};

TEST_P(BadInput, ExitsWith2AndSaysWhatAndWhere) {
  const TemporaryDirectory directory;
  directory.write("good.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
  directory.write("tab.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n\tname: n1\n");
  directory.write("half.json", "{\"apiVersion\": \"v1\",\n \"kind\": \"Node\", ");
  directory.write("amount.yaml",
                  "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                  "status:\n  allocatable:\n    cpu: -2\n");
  directory.write("again/twin.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
  directory.write("uids.yaml",
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u1}\nspec: {}\n---\n"
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: b, uid: u1}\nspec: {}\n");
  directory.write("action.conf", "actions: [enqueue, alocate]\ntiers: []\n");
  directory.write("argument.conf",
                  "actions: [allocate]\ntiers:\n- plugins:\n  - name: overcommit\n"
                  "    arguments:\n      overcommit-factor: lots\n");
  directory.write("empty.conf", "\n");

  std::vector<std::string> arguments = GetParam().arguments;
  const std::string here = directory.path().string() + "/";
  const auto filled = [&](std::string text) {
    if (const auto at = text.find("@/"); at != std::string::npos) text.replace(at, 2, here);
    return text;
  };
  for (std::string& argument : arguments) argument = filled(argument);
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(filled(GetParam().says)), std::string::npos)
      << "expected: " << filled(GetParam().says) << "\nsaid: " << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, BadInput,
    testing::Values(
        Refused{"NoCommand", {}, "COMMAND"},
        Refused{"UnknownCommand",
                {"paln"},
                "\"paln\" is not a command of berth; did you mean \"plan\"?"},
        Refused{"UnknownFlag",
                {"plan", "--clutser", "@/good.yaml"},
                "--clutser: no such flag of berth plan; did you mean \"--cluster\"?"},
        Refused{"NoCluster", {"plan"}, "--cluster: missing, expected a file or directory"},
        Refused{"ClusterWithoutValue", {"plan", "--cluster"}, "--cluster"},
        Refused{"MissingFile",
                {"plan", "--cluster", "@/nowhere.yaml"},
                "@/nowhere.yaml: cannot be read: "},
        Refused{
            "YamlWithATab", {"plan", "--cluster", "@/tab.yaml"}, "@/tab.yaml:4:6: not valid YAML"},
        Refused{
            "HalfOfJson", {"plan", "--cluster", "@/half.json"}, "@/half.json:1:1: not valid JSON"},
        Refused{"NegativeAmount", {"plan", "--cluster", "@/amount.yaml"}, "@/amount.yaml:6:10: "},
        Refused{"TheSameTwice",
                {"plan", "--cluster", "@/good.yaml", "@/again/twin.yaml"},
                "Node \"n1\" is also at "},
        Refused{"OneUidForTwoPods",
                {"plan", "--cluster", "@/uids.yaml"},
                "Pod \"default/b\" has the uid \"u1\" of Pod \"default/a\""},
        Refused{"NowThatIsNoTime",
                {"plan", "--cluster", "@/good.yaml", "--now", "yesterday"},
                "--now: \"yesterday\""},
        Refused{"NoCycles",
                {"plan", "--cluster", "@/good.yaml", "--cycles", "0"},
                "--cycles: \"0\" is not a number of cycles, expected 1 to 10000"},
        Refused{"CyclesWithAUnit",
                {"plan", "--cluster", "@/good.yaml", "--cycles", "3x"},
                "--cycles: \"3x\""},
        Refused{"NegativeCycles",
                {"plan", "--cluster", "@/good.yaml", "--cycles=-1"},
                "--cycles: \"-1\""},
        Refused{"UnknownForm",
                {"plan", "--cluster", "@/good.yaml", "-o", "yaml"},
                "-o: \"yaml\" is not an output format, expected table, wide or json"},
        Refused{"MissingConfig",
                {"plan", "--cluster", "@/good.yaml", "--config", "@/nowhere.conf"},
                "@/nowhere.conf: cannot be read"},
        Refused{"UnknownAction",
                {"plan", "--cluster", "@/good.yaml", "--config", "@/action.conf"},
                "@/action.conf:1:20: "},
        Refused{"BadArgument",
                {"plan", "--cluster", "@/good.yaml", "--config", "@/argument.conf"},
                "@/argument.conf:6:26: "},
        Refused{"EmptyConfig",
                {"plan", "--cluster", "@/good.yaml", "--config", "@/empty.conf"},
                "@/empty.conf"},
        Refused{"ExplainsNobody",
                {"plan", "--cluster", "@/good.yaml", "--explain", "ml/gpt"},
                "--explain: no job \"ml/gpt\"; there are no jobs at all"},
        Refused{"ChecksABadConfig", {"config", "--check", "@/action.conf"}, "@/action.conf:1:20: "},
        Refused{"ChecksNothing", {"config"}, "--check: missing"}),
    [](const auto& each) { return each.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Commands, BadInput,
    testing::Values(Refused{"ChecksAndShowsTheDefault",
                            {"config", "--check", "@/good.yaml", "--default"},
                            "--default: given together with --check, expected one of them"},
                    Refused{"HelpOnNothing", {"help", "paln"}, "did you mean \"plan\"?"},
                    Refused{"UnknownShell", {"completion", "bahs"}, "did you mean \"bash\"?"},
                    Refused{"UnknownOrder",
                            {"plan", "--cluster", "@/good.yaml", "--sort", "nmae"},
                            "--sort: \"nmae\" is no order; did you mean \"name\"?"},
                    Refused{"FitsNowhere", {"fits", "ml/a"}, "--cluster: missing, expected a file"},
                    Refused{"FitsOfNobody",
                            {"fits", "ml/gpt", "--cluster", "@/good.yaml"},
                            "fits: no pod \"ml/gpt\"; there are no pods at all"},
                    Refused{"FitsInAnUnknownForm",
                            {"fits", "--cluster", "@/good.yaml", "-o", "yaml"},
                            "-o: \"yaml\" is not an output format"},
                    Refused{"FitsWithOneUidForTwoPods",
                            {"fits", "--cluster", "@/uids.yaml"},
                            "Pod \"default/b\" has the uid \"u1\" of Pod \"default/a\""},
                    Refused{"FitsWithABadConfig",
                            {"fits", "--cluster", "@/good.yaml", "--config", "@/action.conf"},
                            "@/action.conf:1:20: "},
                    Refused{"UnknownQueue",
                            {"plan", "--cluster", "@/good.yaml", "-q", "defualt"},
                            "--queue: no queue \"defualt\"; did you mean \"default\"?"},
                    Refused{"ServerOfTwoKinds",
                            {"queues", "--cluster", "@/good.yaml", "-n", "ml"},
                            "--namespace: given together with --cluster, expected one of them"},
                    Refused{"NoKubeconfig",
                            {"why", "train", "--kubeconfig", "@/nowhere"},
                            "@/nowhere: cannot be read"},
                    Refused{"WhyOfNothing", {"why"}, "JOB"}),
    [](const auto& each) { return each.param.name; });

TEST(CommandLine, ATypedErrorInAJobNameIsMet) {
  for (const char* name : {"ml/wdie", "wide"}) {
    const Outcome outcome =
        run_program({"plan", "--cluster", testdata("gangs"), "--explain", name});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("did you mean \"ml/wide\"?"), std::string::npos) << outcome.err;
  }
}

TEST(CommandLine, HelpAndVersionSucceed) {
  const Outcome help = run_program({"plan", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  for (const char* part : {"--cluster", "--explain", "Examples:", "Exit status:"}) {
    EXPECT_NE(help.out.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(run_program({"help", "plan"}).out, help.out);
  EXPECT_NE(run_program({"help"}).out.find("completion"), std::string::npos);
  for (const char* words : {"version", "--version"}) {
    const Outcome version = run_program({words});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_EQ(version.out, "berth " BERTH_VERSION "\n");
  }
}

TEST(CommandLine, EachJsonDocumentSaysItsVersionAndKind) {
  const std::string file = support::source_file("config/berth.yaml");
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"plan", "--cluster", testdata("gangs"), "-o", "json"}, "Plan"},
      {{"fits", "--cluster", testdata("gangs"), "-o", "json"}, "Fits"},
      {{"when", "--cluster", testdata("gangs"), "-o", "json"}, "Forecast"},
      {{"queues", "--cluster", testdata("gangs"), "-o", "json"}, "Queues"},
      {{"reservations", "--cluster", testdata("gangs"), "-o", "json"}, "Reservations"},
      {{"topology", "--cluster", testdata("gangs"), "-o", "json"}, "Topology"},
      {{"config", "--default", "-o", "json"}, "Configuration"},
      {{"config", "--check", file, "-o", "json"}, "ConfigurationCheck"},
      {{"version", "-o", "json"}, "Version"}};
  for (const auto& [words, kind] : all) {
    const std::string out = run_program(words).out;
    EXPECT_TRUE(
        out.starts_with("{\n \"apiVersion\": \"berth.dev/v1\",\n \"kind\": \"" + kind + "\""))
        << out.substr(0, 200);
  }
}

TEST(CommandLine, ARefusedConfigurationIsADocumentToo) {
  const Outcome outcome = run_program({"config", "--check", "/nowhere.conf", "-o", "json"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.out.find("\"accepted\": false"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("/nowhere.conf: cannot be read"), std::string::npos) << outcome.out;
}

TEST(CommandLine, KubectlsPluginSpeaksOfKubectl) {
  const TemporaryDirectory directory;
  const auto link = directory.path() / "kubectl-berth";
  std::filesystem::create_symlink(support::built_file("berth"), link);
  const Outcome outcome = run_program({"why", "--help"}, "/dev/null", link.string());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("Usage: kubectl berth why"), std::string::npos) << outcome.out;
  EXPECT_NE(run_program({"paln"}, "/dev/null", link.string()).err.find("of kubectl berth;"),
            std::string::npos);
}

// COLUMNS is the width of the terminal.
TEST(CommandLine, ATableIsAsWideAsTheTerminal) {
  const auto widest = [](const std::string& form) {
    const Outcome outcome = run_program(
        {"plan", "--cluster", support::source_file("docs/examples/quickstart"), "-o", form});
    std::size_t most = 0;
    for (std::size_t at = 0; at < outcome.out.size();) {
      const std::size_t end = outcome.out.find('\n', at);
      most = std::max(most, end - at);
      at = end + 1;
    }
    return most;
  };
  setenv("COLUMNS", "90", 1);
  const std::size_t table = widest("table");
  const std::size_t wide = widest("wide");
  unsetenv("COLUMNS");
  EXPECT_LE(table, 90U);
  EXPECT_GT(wide, 90U);
  EXPECT_EQ(widest("table"), wide);
}

TEST(CommandLine, APlanIsFilteredByNamespaceAndQueue) {
  const std::string cluster = support::source_file("docs/examples/queues");
  const auto jobs = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plan", "--cluster", cluster, "-o", "json"});
    const Outcome outcome = run_program(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    std::set<std::string> queues;
    for (const auto& job : document["cycles"][0]["jobs"]) queues.insert(job["queue"]);
    return queues;
  };
  const std::set<std::string> all = jobs({});
  EXPECT_GT(all.size(), 1U);
  EXPECT_EQ(jobs({"-q", "batch"}), (std::set<std::string>{"batch"}));
  EXPECT_EQ(jobs({"-n", "nowhere"}), (std::set<std::string>{}));
}

TEST(CommandLine, TheDefaultConfigurationIsTheFileAndPassesItsCheck) {
  const std::string file = support::source_file("config/berth.yaml");
  EXPECT_EQ(run_program({"config", "--default"}).out, read_text(file));
  const Outcome check = run_program({"config", "--check", file});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_EQ(check.out, file + ": ok\n");
}

// Issue 9, row 7: S0's recommended configuration elects every job.
TEST(CommandLine, TheShippedExamplesPassTheCheck) {
  for (const std::string name : {"s0.yaml", "reservation.yaml", "queue-nodes.yaml"}) {
    const std::string file = support::source_file("config/examples/") + name;
    const Outcome check = run_program({"config", "--check", file});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    const std::string warning =
        "warning: " + file +
        ":13:15: without `wait-duration`, `request-line` or `wait-line`, every waiting job "
        "becomes a target in turn, even a small one\n";
    EXPECT_EQ(check.err, name == "s0.yaml" ? warning : "");
    EXPECT_EQ(check.out, file + ": ok\n");
  }
}

}  // namespace
}  // namespace berth::tools
