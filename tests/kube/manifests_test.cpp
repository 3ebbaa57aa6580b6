#include "kube/manifests.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>

namespace berth::kube {
namespace {

namespace fs = std::filesystem;

const std::string kNode = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n";

std::string pod(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + "\"}}";
}

// Kinds and names in order: "Node n1;Pod default/a;".
std::string summary(const Manifests& manifests) {
  std::string text;
  for (const ClusterEvent& event : manifests.events) {
    if (const auto* node = std::get_if<NodeObject>(&event)) text += "Node " + node->name + ";";
    if (const auto* pod = std::get_if<PodObject>(&event)) text += "Pod " + pod->full_name() + ";";
    if (const auto* group = std::get_if<PodGroupObject>(&event)) {
      text += "PodGroup " + group->full_name() + ";";
    }
    if (const auto* queue = std::get_if<QueueObject>(&event)) text += "Queue " + queue->name + ";";
  }
  return text;
}

class ManifestFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "berth-manifests-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }
  std::string error() {
    const auto manifests = load_manifests({directory_});
    return manifests ? "" : manifests.error().to_string();
  }

  fs::path directory_;
};

TEST_F(ManifestFiles, are_read_from_directories_in_every_format_and_come_out_sorted) {
  write("b/pods.json",
        R"({"kind":"List","apiVersion":"v1","items":[)" + pod("z") + "," + pod("a") + "]}");
  write("a.yml",
        "---\n" + kNode + "---\napiVersion: apps/v1\nkind: Deployment\n---\n" +
            "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n");
  write("c.yaml", "");
  write("d.yaml", "apiVersion: v1\nkind: List\nitems:\n- " + pod("m") +
                      "\n- {apiVersion: v1, kind: ConfigMap}\n");
  write("notes.txt", "not a manifest");
  write(".hidden.yaml", "not: a manifest");
  std::size_t files = 0;
  const auto manifests =
      load_manifests({directory_}, [&files](const LoadProgress& at) { files = at.files_done; });
  ASSERT_TRUE(manifests.has_value()) << manifests.error().to_string();
  EXPECT_EQ(summary(*manifests), "Node n1;Pod default/a;Pod default/m;Pod default/z;Queue q;");
  EXPECT_EQ(manifests->ignored,
            (std::map<std::string, std::size_t>{{"ConfigMap", 1}, {"Deployment.apps", 1}}));
  EXPECT_EQ(files, 4U);
}

TEST_F(ManifestFiles, of_one_object_twice_are_an_error_that_names_both_places) {
  write("a.yaml", kNode);
  write("b.yaml", "# again\n" + kNode);
  EXPECT_EQ(error(), (directory_ / "b.yaml").string() + ":2:1: Node \"n1\" is also at " +
                         (directory_ / "a.yaml").string() + ":1:1, expected it once");
}

TEST_F(ManifestFiles, that_are_broken_are_refused_with_file_line_and_column) {
  write("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: Bad_Name\n");
  EXPECT_EQ(error(), (directory_ / "a.yaml").string() +
                         ":4:9: metadata.name: \"Bad_Name\" is no valid name, expected at most 253 "
                         "lower-case letters, digits, '-' or '.', with a letter or digit at both "
                         "ends");
  write("a.yaml", std::string("\x7f"
                              "ELF\x02\x00\x01",
                              7));
  EXPECT_NE(error().find("a.yaml:1:5: a control character"), std::string::npos);
  write("a.yaml", "just a sentence\n");
  EXPECT_NE(error().find(":1:1: \"just a sentence\" is not a map"), std::string::npos);
  write("a.yaml", "apiVersion: v1\n");
  EXPECT_NE(error().find("`kind` is missing"), std::string::npos);
  write("a.yaml", "kind: Pod\n");
  EXPECT_NE(error().find("`apiVersion` is missing"), std::string::npos);
}

TEST_F(ManifestFiles, behind_links_in_a_circle_are_read_once) {
  write("one/a.yaml", kNode);
  fs::create_directory_symlink("..", directory_ / "one" / "up");
  fs::create_directory_symlink("one", directory_ / "same");
  const auto manifests = load_manifests({directory_});
  ASSERT_TRUE(manifests.has_value()) << manifests.error().to_string();
  EXPECT_EQ(summary(*manifests), "Node n1;");
}

TEST_F(ManifestFiles, that_are_not_there_or_cannot_be_read_are_named) {
  const auto missing = load_manifests({directory_ / "no.yaml"});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().where, (directory_ / "no.yaml").string());
  fs::create_symlink("nowhere", directory_ / "dangling.yaml");
  EXPECT_NE(error().find("dangling.yaml: cannot be read"), std::string::npos) << error();
}

TEST(ParseManifests, takes_the_kind_of_items_from_a_typed_list_wherever_it_stands) {
  for (const char* text :
       {R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})",
        R"({"items":[{"metadata":{"name":"a"}}],"apiVersion":"v1","kind":"PodList"})"}) {
    const auto manifests = parse_manifests(text, "dump.json");
    ASSERT_TRUE(manifests.has_value()) << manifests.error().to_string();
    EXPECT_EQ(summary(*manifests), "Pod default/a;");
  }
  const auto yaml = parse_manifests(
      "apiVersion: v1\nkind: NodeList\nitems: [{metadata: {name: n}}]\n", "dump.yaml");
  ASSERT_TRUE(yaml.has_value()) << yaml.error().to_string();
  EXPECT_EQ(summary(*yaml), "Node n;");
  const auto nested = parse_manifests(
      R"({"kind":"List","apiVersion":"v1","items":[{"kind":"List","apiVersion":"v1","items":[)" +
          pod("x") + "]}]}",
      "dump");
  ASSERT_TRUE(nested.has_value()) << nested.error().to_string();
  EXPECT_EQ(summary(*nested), "Pod default/x;");
}

TEST(ParseManifests, warns_of_what_means_nothing_in_a_stored_pod) {
  const auto pod = [](const std::string& uid, const std::string& value) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: p" + uid +
           "}\nspec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "{nodeSelectorTerms: [{matchExpressions: [{key: size, operator: Gt, values: [" +
           value + "]}]}]}}}}\n";
  };
  const auto stored = parse_manifests(pod(", uid: u", "large"), "f.yaml");
  ASSERT_TRUE(stored.has_value()) << stored.error().to_string();
  ASSERT_EQ(stored->warnings.size(), 1u);
  EXPECT_NE(stored->warnings[0].find("which Gt and Lt expect"), std::string::npos);
  EXPECT_EQ(std::get<PodObject>(stored->events.at(0)).constraints.required_terms.size(), 1u);
  EXPECT_FALSE(parse_manifests(pod("", "large"), "f.yaml").has_value()) << "nobody has checked it";
  EXPECT_FALSE(parse_manifests(pod(", uid: u", "[]"), "f.yaml").has_value()) << "it is no text";
}

TEST(ParseManifests, warns_of_what_means_nothing_in_a_stored_volume) {
  const auto volume = [](const std::string& uid, const std::string& op) {
    return "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v" + uid +
           "}\nspec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
           "size, "
           "operator: " +
           op + ", values: [large]}]}]}}}\n";
  };
  const auto stored = parse_manifests(volume(", uid: u", "Gt"), "f.yaml");
  ASSERT_TRUE(stored.has_value()) << stored.error().to_string();
  ASSERT_EQ(stored->warnings.size(), 1u);
  const auto& read = std::get<StorageObject>(stored->events.at(0)).object;
  ASSERT_TRUE(std::get<VolumeObject>(read).affinity.has_value());
  EXPECT_EQ(std::get<VolumeObject>(read).affinity->size(), 1u);
  EXPECT_FALSE(parse_manifests(volume("", "Gt"), "f.yaml").has_value()) << "nobody has checked it";
  EXPECT_FALSE(parse_manifests(volume(", uid: u", "Greater"), "f.yaml").has_value());
}

// Issue 9, row 9.
TEST(ParseManifests, reads_owners_that_have_a_uid) {
  const auto job = [](const std::string& api, const std::string& metadata) {
    return "apiVersion: " + api + "\nkind: Job\nmetadata: {name: j" + metadata +
           ", annotations: {berth.dev/target: 'true'}}\n";
  };
  const auto owner = parse_manifests(job("batch/v1", ", uid: u"), "f.yaml");
  ASSERT_TRUE(owner.has_value()) << owner.error().to_string();
  ASSERT_EQ(owner->events.size(), 1u);
  const auto& read = std::get<OwnerObject>(owner->events[0]);
  EXPECT_TRUE(read.uid == "u" && read.names_target && read.self.kind == "Job");
  const auto ignored = parse_manifests(job("example.com/v1", ", uid: u"), "f.yaml");
  ASSERT_TRUE(ignored.has_value()) << ignored.error().to_string();
  EXPECT_EQ(ignored->ignored.at("Job.example.com"), 1u);
}

TEST_F(ManifestFiles, are_read_for_the_owners_that_are_asked_for) {
  write("a.yaml", "apiVersion: example.com/v1\nkind: MyJob\nmetadata: {name: j, uid: u}\n");
  EXPECT_EQ(load_manifests({directory_})->ignored.size(), 1u);
  const auto manifests = load_manifests({directory_}, {}, {"myjobs.v1.example.com"});
  ASSERT_TRUE(manifests.has_value()) << manifests.error().to_string();
  EXPECT_EQ(manifests->events.size(), 1u);
  EXPECT_TRUE(manifests->ignored.empty());
}

TEST(ParseManifests, gives_equal_objects_for_yaml_and_json) {
  const auto yaml = parse_manifests(R"(
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {volcano.sh/queue-name: q}}
spec:
  priority: 7
  containers:
  - resources: {requests: {cpu: 1.5, memory: 4Gi}, limits: {nvidia.com/gpu: 1}}
)",
                                    "a.yaml");
  const auto json = parse_manifests(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",
      "labels":{"volcano.sh/queue-name":"q"},
      "managedFields":[{"manager":"kubectl"}]},"spec":{"priority":7,"containers":[{"resources":
      {"requests":{"cpu":1.5,"memory":"4Gi"},"limits":{"nvidia.com/gpu":"1"}}}]}})",
      "a.json");
  ASSERT_TRUE(yaml.has_value()) << yaml.error().to_string();
  ASSERT_TRUE(json.has_value()) << json.error().to_string();
  EXPECT_EQ(std::get<PodObject>(yaml->events.at(0)), std::get<PodObject>(json->events.at(0)));
  EXPECT_EQ(std::get<PodObject>(json->events.at(0)).request.at("cpu"), 1500);
}

TEST(ParseManifests, does_not_depend_on_the_order_of_the_input) {
  const auto one = parse_manifests(kNode + "---\n" + pod("b") + "\n---\n" + pod("a"), "f.yaml");
  const auto two = parse_manifests(pod("a") + "\n---\n" + kNode + "---\n" + pod("b"), "f.yaml");
  ASSERT_TRUE(one.has_value()) << one.error().to_string();
  ASSERT_TRUE(two.has_value()) << two.error().to_string();
  EXPECT_EQ(summary(*one), "Node n1;Pod default/a;Pod default/b;");
  EXPECT_EQ(summary(*one), summary(*two));
}

}  // namespace
}  // namespace berth::kube
