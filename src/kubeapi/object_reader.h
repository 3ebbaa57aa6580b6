#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "document/value.h"
#include "kubeapi/kept_keys.h"

namespace berth::kubeapi {

// What is said of a list besides its items.
struct ListMetadata {
  std::string resource_version;
  std::string continue_token;  // empty: this was the last page
};

struct WatchEvent {
  std::string type;  // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
  document::Value object;
};

// Pages and watch lines into values, keeping only some keys. Positions in the values mean nothing.
// For texts of an API server: no check for duplicate keys. Keeps its memory; one thread.
class ObjectReader {
 public:
  // `keeps` null: everything.
  explicit ObjectReader(const KeptKeys* keeps);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  // Items go to `on_item` one by one; an Error may come after some. `page` gets room behind it.
  Result<ListMetadata> read_page(std::string& page,
                                 const std::function<void(const document::Value& item)>& on_item);
  // `event` is written over.
  Status read_event(std::string_view line, WatchEvent& event);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
