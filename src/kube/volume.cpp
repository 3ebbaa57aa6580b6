#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/label_selector.h"
#include "kube/pod_constraints.h"
#include "kube/storage_fields.h"

// Claims and volumes.

namespace berth::kube {

namespace {

constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

const std::array<std::string, 4> kModes{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                        "ReadWriteOncePod"};

constexpr std::array<const char*, 4> kZoneLabels{
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region"};

std::uint8_t read_modes(const document::Cursor& list) {
  std::uint8_t modes = 0;
  for (const document::Cursor& item : list.items()) {
    const std::string text = item.text();
    const auto found = std::find(kModes.begin(), kModes.end(), text);
    if (found == kModes.end()) {
      item.complain("\"" + text + "\" is no access mode" + suggestion(text, kModes));
      continue;
    }
    modes = static_cast<std::uint8_t>(modes | 1U << (found - kModes.begin()));
  }
  return modes;
}

// The annotation is older, and counts where both are there.
std::string read_class(const document::Cursor& root) {
  const document::Cursor old = root["metadata"]["annotations"][kBetaClass];
  return old.is_present() ? old.text() : root["spec"]["storageClassName"].text();
}

// Values are separated by "__". A label with an empty one does not count.
std::vector<ZoneLabel> read_zones(const Labels& labels) {
  std::vector<ZoneLabel> zones;
  for (const char* const key : kZoneLabels) {
    const auto label = std::find_if(labels.begin(), labels.end(),
                                    [key](const auto& each) { return each.first == key; });
    if (label == labels.end()) continue;
    ZoneLabel zone{key, {}};
    std::string_view rest = label->second;
    while (true) {
      const std::size_t end = rest.find("__");
      zone.values.emplace_back(rest.substr(0, end));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 2);
    }
    std::sort(zone.values.begin(), zone.values.end());
    zone.values.erase(std::unique(zone.values.begin(), zone.values.end()), zone.values.end());
    if (!zone.values.front().empty()) zones.push_back(std::move(zone));
  }
  return zones;
}

std::vector<SelectorTerm> read_terms(const document::Cursor& required) {
  std::vector<SelectorTerm> terms;
  for (const document::Cursor& term : required["nodeSelectorTerms"].items()) {
    terms.push_back(read_selector_term(term));
  }
  return terms;
}

void read_source(const document::Cursor& spec, VolumeObject& volume) {
  volume.driver = spec["csi"]["driver"].text();
  volume.handle = spec["csi"]["volumeHandle"].text();
  volume.is_migrated = has_migrated_disk(spec);
}

}  // namespace

Result<StorageObject> decode_claim(const document::Value& value, std::string_view file,
                                   Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "PersistentVolumeClaim", Scope::namespaced);
  if (reading.failed()) return reading.error();
  ClaimObject claim;
  claim.name_space = std::move(metadata.name_space);
  claim.name = std::move(metadata.name);
  claim.uid = std::move(metadata.uid);
  claim.is_ending = root["metadata"]["deletionTimestamp"].is_present();
  claim.owner_uid = read_controller(root).uid;
  const document::Cursor annotations = root["metadata"]["annotations"];
  claim.is_bind_completed = annotations[kBindCompleted].is_present();
  if (const document::Cursor node = annotations[kSelectedNode]; node.is_present()) {
    claim.selected_node = node.text();
  }
  const document::Cursor spec = root["spec"];
  claim.class_name = read_class(root);
  claim.size = read_bytes(spec["resources"]["requests"]["storage"]);
  claim.modes = read_modes(spec["accessModes"]);
  claim.is_block = spec["volumeMode"].text() == "Block";
  claim.attributes_class = spec["volumeAttributesClassName"].text();
  if (spec["selector"].is_present()) claim.selector = read_label_selector(spec["selector"]);
  claim.volume = spec["volumeName"].text();
  claim.is_lost = root["status"]["phase"].text() == "Lost";
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) claim.fault = reading.error().message;  // API-25
  return StorageObject{std::move(claim)};
}

Result<StorageObject> decode_volume(const document::Value& value, std::string_view file,
                                    Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "PersistentVolume", Scope::cluster);
  if (reading.failed()) return reading.error();
  VolumeObject volume;
  volume.name = std::move(metadata.name);
  volume.is_ending = root["metadata"]["deletionTimestamp"].is_present();
  volume.labels = read_labels(root);
  volume.zones = read_zones(volume.labels);
  const document::Cursor spec = root["spec"];
  volume.class_name = read_class(root);
  volume.size = read_bytes(spec["capacity"]["storage"]).value_or(0);
  volume.modes = read_modes(spec["accessModes"]);
  volume.is_block = spec["volumeMode"].text() == "Block";
  volume.attributes_class = spec["volumeAttributesClassName"].text();
  const document::Cursor required = spec["nodeAffinity"]["required"];
  if (required.is_present()) volume.affinity = read_terms(required);
  if (const document::Cursor ref = spec["claimRef"]; ref.is_present()) {
    volume.claim = ClaimReference{ref["namespace"].text(), ref["name"].text(), ref["uid"].text()};
  }
  volume.is_available = root["status"]["phase"].text() == "Available";
  read_source(spec, volume);
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) volume.fault = reading.error().message;  // API-25
  return StorageObject{std::move(volume)};
}

}  // namespace berth::kube
