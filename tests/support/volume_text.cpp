#include "support/volume_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "berth/base/text.h"
#include "support/pod_text.h"

namespace berth::support {

namespace {

std::pair<std::string, std::string> split_full(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return {"default", name};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

std::int64_t read_bytes(SceneLine& line, const std::string& key, const char* fallback) {
  const auto bytes = parse_amount(line.text_of(key, fallback), false);
  if (!bytes) line.accuse(key + ": " + bytes.error().message);
  return bytes ? *bytes : 0;
}

std::uint8_t read_modes(SceneLine& line) {
  static const std::map<std::string, std::uint8_t> kModes{{"once", kReadWriteOnce},
                                                          {"read", kReadOnlyMany},
                                                          {"many", kReadWriteMany},
                                                          {"pod", kReadWriteOncePod}};
  std::uint8_t modes = 0;
  for (const std::string& word : split_list(line.text_of("modes", "once"), ',')) {
    const auto found = kModes.find(word);
    if (found == kModes.end()) line.accuse("modes: expected once, read, many or pod");
    if (found != kModes.end()) modes = static_cast<std::uint8_t>(modes | found->second);
  }
  return modes;
}

std::vector<Expression> read_all(SceneLine& line, const std::string& key) {
  std::vector<Expression> all;
  for (const std::string& item : line.list_of(key)) all.push_back(read_expression(line, item));
  return all;
}

StorageObject read_claim(SceneLine& line) {
  ClaimObject claim;
  std::tie(claim.name_space, claim.name) = split_full(line.word(1));
  claim.uid = "claim:" + line.word(1);
  claim.class_name = line.text_of("class");
  claim.size = read_bytes(line, "size", "1Gi");
  claim.modes = read_modes(line);
  claim.volume = line.text_of("volume");
  claim.is_bind_completed = !claim.volume.empty() && !line.flag("half");
  if (line.has("selected")) claim.selected_node = line.text_of("selected");
  if (line.has("selects")) claim.selector = read_all(line, "selects");
  claim.owner_uid = line.text_of("owner");
  claim.is_lost = line.flag("lost");
  claim.is_ending = line.flag("terminating");
  return {claim};
}

StorageObject read_volume(SceneLine& line) {
  VolumeObject volume;
  volume.name = line.word(1);
  volume.class_name = line.text_of("class");
  volume.size = read_bytes(line, "size", "1Gi");
  volume.modes = read_modes(line);
  if (line.has("affinity")) volume.affinity = {{read_all(line, "affinity"), {}}};
  for (const auto& [key, value] : read_labels(line.list_of("labels"))) {
    volume.labels.emplace_back(key, value);
  }
  // In the order of kube-scheduler's keys, as the codec has them.
  if (line.has("beta-zone")) {
    volume.zones.push_back(
        {"failure-domain.beta.kubernetes.io/zone", split_list(line.text_of("beta-zone"), '|')});
  }
  if (line.has("zone")) {
    volume.zones.push_back({"topology.kubernetes.io/zone", split_list(line.text_of("zone"), '|')});
  }
  if (line.has("claim")) {
    const auto [name_space, name] = split_full(line.text_of("claim"));
    volume.claim = ClaimReference{name_space, name, ""};
  }
  volume.driver = line.text_of("driver");
  volume.handle = line.text_of("handle", volume.name);
  volume.is_available = !volume.claim && !line.flag("unavailable");
  volume.is_migrated = line.flag("in-tree");
  return {volume};
}

StorageObject read_class(SceneLine& line) {
  StorageClassObject its;
  its.name = line.word(1);
  its.provisioner = line.text_of("provisioner", "kubernetes.io/no-provisioner");
  its.mode = line.flag("immediate") ? BindingMode::immediate : BindingMode::wait_for_first_consumer;
  if (line.has("allowed")) its.topologies = {read_all(line, "allowed")};
  return {its};
}

StorageObject read_csi_node(SceneLine& line) {
  CsiNodeObject node{line.word(1), {}};
  for (const auto& [driver, count] : read_labels(line.list_of("limits"))) {
    node.limits.emplace_back(driver, std::atoi(count.c_str()));
  }
  return {node};
}

StorageObject read_capacity(SceneLine& line) {
  StorageCapacityObject capacity;
  capacity.name_space = "default";
  capacity.name = line.word(1);
  capacity.class_name = line.text_of("class");
  capacity.largest = read_bytes(line, "largest", "0");
  capacity.topology = read_all(line, "on");
  return {capacity};
}

StorageObject read_attachment(SceneLine& line) {
  return {AttachmentObject{line.word(1), line.text_of("node"), line.text_of("driver"),
                           line.text_of("volume")}};
}

StorageObject read_driver(SceneLine& line) {
  return {CsiDriverObject{line.word(1), line.flag("tracks-capacity")}};
}

using StorageReader = StorageObject (*)(SceneLine&);

const std::map<std::string, StorageReader>& storage_readers() {
  static const std::map<std::string, StorageReader> all{
      {"claim", read_claim},          {"volume", read_volume},    {"storageclass", read_class},
      {"csinode", read_csi_node},     {"csidriver", read_driver}, {"capacity", read_capacity},
      {"attachment", read_attachment}};
  return all;
}

Disk read_disk(SceneLine& line, const std::string& text) {
  static const std::map<std::string, DiskKind> kKinds{
      {"gce", DiskKind::gce}, {"ebs", DiskKind::ebs}, {"iscsi", DiskKind::iscsi}};
  std::vector<std::string> parts = split_list(text, ':');
  parts.resize(3);
  const auto kind = kKinds.find(parts[0]);
  if (kind == kKinds.end()) line.accuse("disks: expected gce, ebs or iscsi");
  return {kind == kKinds.end() ? DiskKind::gce : kind->second, parts[1], {}, {}, parts[2] == "ro"};
}

}  // namespace

bool is_about_storage(const std::string& verb) { return storage_readers().contains(verb); }

StorageObject read_storage(SceneLine& line) { return storage_readers().at(line.word(0))(line); }

VolumeWishes read_volume_wishes(SceneLine& line) {
  VolumeWishes wishes;
  for (const std::string& name : line.list_of("claims")) wishes.claims.push_back({name, false});
  for (const std::string& name : line.list_of("ephemeral")) wishes.claims.push_back({name, true});
  for (const std::string& text : line.list_of("disks")) {
    wishes.disks.push_back(read_disk(line, text));
  }
  return wishes;
}

VolumeWishes wishes_of(const VolumeWishes& all, const std::string& pod, std::int64_t index) {
  VolumeWishes wishes = all;
  for (ClaimWish& claim : wishes.claims) {
    if (claim.is_ephemeral) claim.name = pod + "-" + claim.name;
    if (const auto at = claim.name.find('#'); at != std::string::npos) {
      claim.name.replace(at, 1, std::to_string(index));
    }
  }
  return wishes;
}

}  // namespace berth::support
