#include "views/start_table.h"

#include <algorithm>

namespace berth::views {

const StartTable::Row* StartTable::find(const std::string& uid) const {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), uid,
                       [](const Row& row, const auto& wanted) { return row.uid < wanted; });
  return at == rows.end() || at->uid != uid ? nullptr : &*at;
}

}  // namespace berth::views
