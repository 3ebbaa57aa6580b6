#pragma once

#include <string_view>
#include <vector>

namespace berth::kubeapi {

// The members of JSON objects to keep. Of an object behind the key `under` (or in a list behind
// it), either only `keys` are kept, or all but `keys`. All other objects are kept whole. The key of
// the outermost object is "".
struct KeptKeys {
  struct Row {
    std::string_view under;
    std::vector<std::string_view> keys;
    bool are_kept = true;  // false: `keys` are left out

    bool keeps(std::string_view key) const;
  };
  // Lines such as "metadata: name uid": the key, then those to keep; "!metadata: managedFields" are
  // left out. The table must outlive this.
  explicit KeptKeys(std::string_view table);

  std::vector<Row> rows;

  const Row* find(std::string_view under) const {
    for (const Row& row : rows) {
      if (row.under == under) return &row;
    }
    return nullptr;
  }
};

// The annotation of the bookmark that ends the list in a streaming list.
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// The keys that the decoders of src/kube read.
// Of an owner, what decides about its pods: some words, and how many there are.
const KeptKeys& keys_of_owners();
// Of claims and volumes, which may be many, and of the other kinds that volumes need.
const KeptKeys& keys_of_claims();
const KeptKeys& keys_of_volumes();
const KeptKeys& keys_of_storage();
// Of those that select pods.
const KeptKeys& keys_of_selecting();
// Of those whose spec is read alone: which nodes are near each other, and DeviceClasses.
const KeptKeys& keys_of_specs();
// Everything but unused metadata.
const KeptKeys& keys_of_others();

}  // namespace berth::kubeapi
