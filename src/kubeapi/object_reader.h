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

// Reads pages and the frames of a watch into values and keeps only what is needed. Positions in the
// values have no meaning. It trusts an API server and does not check for duplicate keys. Reuses its
// memory; one thread.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;

  // Calls `on_item` for each item; an Error may come after some. `page` gets room behind it.
  virtual Result<ListMetadata> read_page(
      std::string& page, const std::function<void(const document::Value& item)>& on_item) = 0;
  // Overwrites `event`.
  virtual Status read_event(std::string_view frame, WatchEvent& event) = 0;
};

// A null `keeps` keeps everything.
std::unique_ptr<ObjectReader> json_reader(const KeptKeys* keeps);
// Of pods and nodes: src/protobuf/objects.proto names what it keeps.
std::unique_ptr<ObjectReader> protobuf_reader(std::string_view kind);

}  // namespace berth::kubeapi
