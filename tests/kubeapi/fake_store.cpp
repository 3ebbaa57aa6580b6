#include "kubeapi/fake_store.h"

namespace berth::kubeapi::testing {

namespace {

std::string status_text(int code) {
  return R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"message":"it is )" +
         std::to_string(code) + "\"}";
}

FakeStore::Answer refusal(int code) { return {code, status_text(code)}; }

std::string bookmark_line(std::int64_t version, bool ends_initial_events) {
  return R"({"type":"BOOKMARK","object":{"kind":"X","metadata":{"resourceVersion":")" +
         std::to_string(version) + R"(","creationTimestamp":null)" +
         (ends_initial_events ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") +
         "}}}";
}

}  // namespace

std::string error_line(int code) {
  return R"({"type":"ERROR","object":)" + status_text(code) + "}";
}

std::string FakeStore::text_of(const std::string& name, const Object& object) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" + object.uid +
         R"(","resourceVersion":")" + object.version + '"' + object.metadata + "}" + object.rest +
         "}";
}

void FakeStore::note(Collection& in, const char* type, const std::string& object) {
  in.changes.push_back(
      {version_, std::string(R"({"type":")") + type + R"(","object":)" + object + "}"});
}

void FakeStore::put(const std::string& path, const std::string& name, const std::string& rest,
                    const std::string& metadata) {
  Collection& in = collections_[path];
  const auto [object, is_new] = in.objects.try_emplace(name);
  if (is_new) object->second.uid = "uid-" + std::to_string(++uids_);
  object->second.version = std::to_string(++version_);
  object->second.rest = rest;
  object->second.metadata = metadata;
  note(in, is_new ? "ADDED" : "MODIFIED", text_of(name, object->second));
}

void FakeStore::erase(const std::string& path, const std::string& name) {
  Collection& in = collections_[path];
  const auto object = in.objects.find(name);
  if (object == in.objects.end()) return;
  object->second.version = std::to_string(++version_);
  note(in, "DELETED", text_of(name, object->second));
  in.objects.erase(object);
}

void FakeStore::bookmark(const std::string& path) {
  collections_[path].changes.push_back({version_, bookmark_line(version_, false)});
}

void FakeStore::set_version(std::int64_t version) {
  version_ = version;
  compacted_ = 0;
  // Earlier events are not part of the restored history.
  for (auto& [path, collection] : collections_) {
    for (Change& change : collection.changes) change.version = -1;
  }
}

std::map<std::string, std::string> FakeStore::objects(const std::string& path) const {
  std::map<std::string, std::string> found;
  const auto in = collections_.find(path);
  if (in == collections_.end()) return found;
  for (const auto& [name, object] : in->second.objects) found[object.uid] = object.version;
  return found;
}

// A continue token is "version:index".
FakeStore::Answer FakeStore::list(const Call& call) {
  const auto in = collections_.find(call.path());
  if (in == collections_.end()) return refusal(404);
  const std::string token = call.parameter("continue");
  const std::size_t limit = std::stoul("0" + call.parameter("limit"));
  std::size_t first = 0;
  std::string version = std::to_string(version_);
  if (!token.empty()) {
    const std::size_t colon = token.find("%3A");
    version = token.substr(0, colon);
    first = std::stoul(token.substr(colon + 3));
    if (std::stoll(version) < compacted_) return refusal(410);
  }
  std::string items;
  std::size_t index = 0;
  std::string next;
  if (token.empty()) in->second.listed[version] = in->second.objects;
  for (const auto& [name, object] : in->second.listed.at(version)) {
    if (index++ < first) continue;
    if (limit > 0 && index > first + limit) {
      next = version + ":" + std::to_string(first + limit);
      break;
    }
    items += (items.empty() ? "" : ",") + text_of(name, object);
  }
  return {200, R"({"kind":"List","metadata":{"resourceVersion":")" + version + R"(","continue":")" +
                   next + R"("},"items":[)" + items + "]}\n"};
}

FakeStore::Answer FakeStore::begin_watch(const Call& call, std::vector<std::string>& lines,
                                         std::size_t& seen) const {
  const auto in = collections_.find(call.path());
  if (in == collections_.end()) return refusal(404);
  const bool is_initial = call.parameter("sendInitialEvents") == "true";
  if (is_initial && !streams_) return refusal(422);
  const std::int64_t from = std::stoll("0" + call.parameter("resourceVersion"));
  if (!is_initial && from < compacted_) return refusal(410);
  if (is_initial) {
    for (const auto& [name, object] : in->second.objects) {
      lines.push_back(R"({"type":"ADDED","object":)" + text_of(name, object) + "}");
    }
    lines.push_back(bookmark_line(version_, true));
  } else {
    for (const Change& change : in->second.changes) {
      if (change.version > from) lines.push_back(change.line);
    }
  }
  seen = in->second.changes.size();
  return {};
}

std::vector<std::string> FakeStore::lines_after(const std::string& path, std::size_t& seen) const {
  std::vector<std::string> lines;
  const auto& changes = collections_.at(path).changes;
  for (; seen < changes.size(); ++seen) lines.push_back(changes[seen].line);
  return lines;
}

}  // namespace berth::kubeapi::testing
