#include "page/store.h"

#include <cstdio>
#include <functional>
#include <utility>

#include "page/names.h"

namespace berth::page {

namespace {

constexpr std::array<const char*, kSections> kNames{
    "cluster", "domains",      "nodes",    "jobs",  "order",
    "queues",  "reservations", "sessions", "spans", "evictions"};

}  // namespace

void Store::put(Section section, const std::string& key, std::string text) {
  Item& item = items(section)[key];
  item.put = marks_;
  if (item.version != 0 && item.text == text) return;
  item.text = std::move(text);
  item.version = version_ + 1;
  has_changed_ = true;
}

Store::Items::iterator Store::erase(Section section, Items::iterator at) {
  gone_.push_back({version_ + 1, section, at->first});
  has_changed_ = true;
  return items(section).erase(at);
}

void Store::erase(Section section, const std::string& key) {
  const auto found = items(section).find(key);
  if (found != items(section).end()) erase(section, found);
}

void Store::clear(Section section) {
  mark();
  erase_unmarked(section);
}

void Store::mark() { ++marks_; }

void Store::erase_unmarked(Section section) {
  Items& all = items(section);
  for (auto at = all.begin(); at != all.end();) {
    at = at->second.put < marks_ ? erase(section, at) : std::next(at);
  }
}

bool Store::commit() {
  if (!std::exchange(has_changed_, false)) return false;
  ++version_;
  for (; gone_.size() > kGoneMost; gone_.pop_front()) oldest_ = gone_.front().version;
  return true;
}

const std::set<std::string>& Store::namespaces() const {
  if (namespaces_version_ != version_) {
    namespaces_.clear();
    for (const Items& items : items_) {
      for (const auto& [key, item] : items) add_namespaces(namespaces_, item.text);
    }
    namespaces_version_ = version_;
  }
  return namespaces_;
}

std::string Store::instance(const ports::SeenNamespaces* seen) const {
  if (seen == nullptr || seen->is_all) return instance_;
  std::string names;
  for (const std::string& name : namespaces()) {
    if (seen->has(name)) names += name + "/";
  }
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016zx", std::hash<std::string>()(names));
  return instance_ + "-" + hash;
}

std::string Store::document(std::optional<std::uint64_t> after, TimePoint now,
                            const ports::SeenNamespaces* seen) const {
  const bool is_whole = !after || !knows(*after);
  const std::uint64_t since = is_whole ? 0 : *after;
  std::string text = R"({"apiVersion":"berth.dev/v1","kind":"PageState","instance":)";
  append_text(text, instance(seen));
  const auto time = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
  text += ",\"version\":" + std::to_string(version_);
  text += ",\"now\":" + std::to_string(time.count());
  text += is_whole ? ",\"whole\":true" : ",\"whole\":false";
  append_set(text, since, seen);
  if (!is_whole) append_gone(text, since);
  return text + "}\n";
}

void Store::append_set(std::string& to, std::uint64_t after,
                       const ports::SeenNamespaces* seen) const {
  to += ",\"set\":{";
  const char* before = "";
  for (std::size_t s = 0; s < kSections; ++s) {
    const char* separator = nullptr;
    for (const auto& [key, item] : items_[s]) {
      if (item.version <= after) continue;
      if (separator == nullptr) to.append(before).append("\"").append(kNames[s]).append("\":[");
      append_shown(to.append(separator == nullptr ? "\n" : ",\n"), item.text, seen);
      separator = ",";
      before = ",";
    }
    if (separator != nullptr) to += "]";
  }
  to += "}";
}

// A key may be gone, and there again: a client takes what is gone first.
void Store::append_gone(std::string& to, std::uint64_t after) const {
  std::array<std::string, kSections> keys;
  for (auto at = gone_.rbegin(); at != gone_.rend() && at->version > after; ++at) {
    std::string& list = keys[static_cast<std::size_t>(at->section)];
    if (!list.empty()) list += ",";
    append_text(list, at->key);
  }
  to += ",\"gone\":{";
  const char* separator = "";
  for (std::size_t s = 0; s < kSections; ++s) {
    if (keys[s].empty()) continue;
    to.append(separator).append("\"").append(kNames[s]).append("\":[").append(keys[s]).append("]");
    separator = ",";
  }
  to += "}";
}

}  // namespace berth::page
