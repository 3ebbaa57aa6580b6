#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "document/value.h"
#include "kubeapi/kept_keys.h"

namespace berth::kubeapi {

// The metadata of a list.
struct ListMetadata {
  std::string resource_version;
  std::string continue_token;  // empty: this was the last page
};

struct WatchEvent {
  std::string type;  // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
  document::Value object;
};

// Reads pages and watch lines into values and keeps only some keys. Positions in the values have no
// meaning. It trusts an API server and does not check for duplicate keys. Reuses its memory; one
// thread.
class ObjectReader {
 public:
  // A null `keeps` keeps everything.
  explicit ObjectReader(const KeptKeys* keeps);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  // Calls `on_item` for each item; an Error may come after some. `page` gets room behind it.
  Result<ListMetadata> read_page(std::string& page,
                                 const std::function<void(const document::Value& item)>& on_item);
  // Overwrites `event`.
  Status read_event(std::string_view line, WatchEvent& event);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
