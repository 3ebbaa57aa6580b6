#pragma once

#include <string_view>
#include <vector>

namespace berth::kubeapi {

// Which members of JSON objects are worth keeping: of an object that stands behind the key `under`
// (or in a list behind it) only those named, or all but those; of any other object all. The
// outermost object stands behind "".
struct KeptKeys {
  struct Row {
    std::string_view under;
    std::vector<std::string_view> keys;
    bool are_kept = true;  // false: `keys` are left out

    bool keeps(std::string_view key) const;
  };
  std::vector<Row> rows;

  const Row* find(std::string_view under) const {
    for (const Row& row : rows) {
      if (row.under == under) return &row;
    }
    return nullptr;
  }
};

// What the decoders of src/kube read, and no more.
const KeptKeys& keys_of_pods();
const KeptKeys& keys_of_nodes();
// Of owners, hardly anything.
const KeptKeys& keys_of_owners();
// Everything but the metadata that nobody reads.
const KeptKeys& keys_of_others();

}  // namespace berth::kubeapi
