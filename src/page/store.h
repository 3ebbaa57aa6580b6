#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "berth/base/clock.h"
#include "ports/callers.h"

namespace berth::page {

enum class Section : std::uint8_t {
  cluster,
  domains,
  nodes,
  jobs,
  order,
  queues,
  reservations,
  sessions,
  spans,
  evictions,
};
inline constexpr std::size_t kSections = 10;

// The texts of the page's state by their keys, each with the version at which it last changed
// (PAGE-2). Not thread-safe.
class Store {
 public:
  static constexpr std::size_t kGoneMost = 10'000;

  // `instance`: another one for each start of berthd.
  explicit Store(std::string instance) : instance_(std::move(instance)) {}

  // --- changes, until the next commit()
  // ----------------------------------------------------------- `text`: JSON, with marks about
  // names (names.h). An equal text is no change.
  void put(Section section, const std::string& key, std::string text);
  void erase(Section section, const std::string& key);
  void clear(Section section);
  // Erases the keys of the section that were not put since mark(): for what comes whole.
  void mark();
  void erase_unmarked(Section section);
  // True if anything has changed: there is another version.
  bool commit();

  std::uint64_t version() const { return version_; }
  // The namespaces of names in the texts.
  const std::set<std::string>& namespaces() const;
  // Differs for callers who see other names: versions of theirs mean something else (PAGE-14).
  // Null: all names.
  std::string instance(const ports::SeenNamespaces* seen = nullptr) const;
  // The document: what has changed since. None, or a version that is not known: all. `now`: of the
  // cluster, when it was looked at.
  std::string document(std::optional<std::uint64_t> after, TimePoint now,
                       const ports::SeenNamespaces* seen = nullptr) const;
  // May this be asked for? Else the answer is whole.
  bool knows(std::uint64_t after) const { return after >= oldest_ && after <= version_; }

 private:
  struct Item {
    std::string text;
    std::uint64_t version = 0;
    std::uint64_t put = 0;  // the number of the mark
  };
  struct Gone {
    std::uint64_t version = 0;
    Section section = Section::nodes;
    std::string key;
  };
  using Items = std::map<std::string, Item>;

  Items& items(Section section) { return items_[static_cast<std::size_t>(section)]; }
  Items::iterator erase(Section section, Items::iterator at);
  void append_set(std::string& to, std::uint64_t after, const ports::SeenNamespaces* seen) const;
  void append_gone(std::string& to, std::uint64_t after) const;

  const std::string instance_;
  std::uint64_t version_ = 1;
  std::uint64_t oldest_ = 1;  // what has gone since then is known
  std::uint64_t marks_ = 0;
  bool has_changed_ = false;
  std::array<Items, kSections> items_;
  std::deque<Gone> gone_;
  mutable std::set<std::string> namespaces_;  // of this version
  mutable std::uint64_t namespaces_version_ = 0;
};

}  // namespace berth::page
