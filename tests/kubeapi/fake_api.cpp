#include "kubeapi/fake_api.h"

#include <chrono>

namespace berth::kubeapi::testing {

namespace {

std::string status_text(int code) {
  return R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"message":"it is )" +
         std::to_string(code) + "\"}";
}

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

void FakeApi::set(bool FakeApi::*flag, bool value) {
  const std::lock_guard lock(mutex_);
  this->*flag = value;
}

void FakeApi::serve(const std::string& path) {
  const std::lock_guard lock(mutex_);
  collections_[path];
}

void FakeApi::stop_serving(const std::string& path) {
  const std::lock_guard lock(mutex_);
  collections_.erase(path);
  changed_.notify_all();
}

std::string FakeApi::text_of(const std::string& name, const Object& object) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" + object.uid +
         R"(","resourceVersion":")" + object.version + '"' + object.metadata + "}" + object.rest +
         "}";
}

void FakeApi::note(Collection& in, const char* type, const std::string& object) {
  in.changes.push_back(
      {version_, std::string(R"({"type":")") + type + R"(","object":)" + object + "}"});
  changed_.notify_all();
}

void FakeApi::put(const std::string& path, const std::string& name, const std::string& rest,
                  const std::string& metadata) {
  const std::lock_guard lock(mutex_);
  Collection& in = collections_[path];
  const auto [object, is_new] = in.objects.try_emplace(name);
  if (is_new) object->second.uid = "uid-" + std::to_string(++uids_);
  object->second.version = std::to_string(++version_);
  object->second.rest = rest;
  object->second.metadata = metadata;
  note(in, is_new ? "ADDED" : "MODIFIED", text_of(name, object->second));
}

void FakeApi::erase(const std::string& path, const std::string& name) {
  const std::lock_guard lock(mutex_);
  Collection& in = collections_[path];
  const auto object = in.objects.find(name);
  if (object == in.objects.end()) return;
  object->second.version = std::to_string(++version_);
  note(in, "DELETED", text_of(name, object->second));
  in.objects.erase(object);
}

void FakeApi::bookmark(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Collection& in = collections_[path];
  in.changes.push_back({version_, bookmark_line(version_, false)});
  changed_.notify_all();
}

bool FakeApi::wait_for_watch(const std::string& path) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20),
                           [&] { return collections_[path].watchers > 0; });
}

void FakeApi::say(const std::string& path, const std::string& line) {
  std::unique_lock lock(mutex_);
  Collection& in = collections_[path];
  changed_.wait_for(lock, std::chrono::seconds(20), [&] { return in.watchers > 0; });
  // No watch begins before its version, so only open watches get this.
  in.changes.push_back({-1, line});
  changed_.notify_all();
}

void FakeApi::compact() {
  const std::lock_guard lock(mutex_);
  compacted_ = ++version_;
}

void FakeApi::set_version(std::int64_t version) {
  const std::lock_guard lock(mutex_);
  version_ = version;
  compacted_ = 0;
  // Earlier events are not part of the restored history.
  for (auto& [path, collection] : collections_) {
    for (Change& change : collection.changes) change.version = -1;
  }
}

void FakeApi::intercept(Intercept by) {
  const std::lock_guard lock(mutex_);
  intercept_ = std::move(by);
}

std::map<std::string, std::string> FakeApi::objects(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> found;
  const auto in = collections_.find(path);
  if (in == collections_.end()) return found;
  for (const auto& [name, object] : in->second.objects) found[object.uid] = object.version;
  return found;
}

void FakeApi::handle(const Call& call, Reply& reply) {
  Intercept intercept;
  {
    const std::lock_guard lock(mutex_);
    intercept = intercept_;
  }
  if (intercept && intercept(call, reply)) return;
  call.is_watch() ? watch(call, reply) : list(call, reply);
}

// A continue token is "version:index".
void FakeApi::list(const Call& call, Reply& reply) {
  std::unique_lock lock(mutex_);
  const auto in = collections_.find(call.path());
  if (in == collections_.end()) {
    lock.unlock();
    reply.send(404, status_text(404));
    return;
  }
  const std::string token = call.parameter("continue");
  const std::size_t limit = std::stoul("0" + call.parameter("limit"));
  std::size_t first = 0;
  std::string version = std::to_string(version_);
  if (!token.empty()) {
    const std::size_t colon = token.find("%3A");
    version = token.substr(0, colon);
    first = std::stoul(token.substr(colon + 3));
    if (std::stoll(version) < compacted_) {
      lock.unlock();
      reply.send(410, status_text(410));
      return;
    }
  }
  std::string items;
  std::size_t index = 0;
  std::string next;
  for (const auto& [name, object] : in->second.objects) {
    if (index++ < first) continue;
    if (limit > 0 && index > first + limit) {
      next = version + ":" + std::to_string(first + limit);
      break;
    }
    items += (items.empty() ? "" : ",") + text_of(name, object);
  }
  lock.unlock();
  reply.send(200, R"({"kind":"List","metadata":{"resourceVersion":")" + version +
                      R"(","continue":")" + next + R"("},"items":[)" + items + "]}\n");
}

bool FakeApi::begin_watch(const Call& call, Reply& reply, std::size_t& seen) {
  std::unique_lock lock(mutex_);
  const auto in = collections_.find(call.path());
  const bool is_initial = call.parameter("sendInitialEvents") == "true";
  int status = 200;
  if (in == collections_.end()) {
    status = 404;
  } else if (is_initial && !streams_) {
    status = 422;
  }
  const std::int64_t from = std::stoll("0" + call.parameter("resourceVersion"));
  if (status == 200 && !is_initial && from < compacted_) status = 410;
  if (status != 200) {
    lock.unlock();
    reply.send(status, status_text(status));
    return false;
  }
  std::vector<std::string> lines;
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
  ++in->second.watchers;
  changed_.notify_all();
  lock.unlock();
  reply.begin_stream();
  for (const std::string& line : lines) reply.line(line);
  return true;
}

void FakeApi::watch(const Call& call, Reply& reply) {
  std::size_t seen = 0;
  if (!begin_watch(call, reply, seen)) return;
  std::unique_lock lock(mutex_);
  while (true) {
    const auto in = collections_.find(call.path());
    if (in == collections_.end()) break;
    if (seen == in->second.changes.size()) {
      // Checks now and then whether the peer is still connected.
      changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
    std::vector<std::string> lines;
    const auto again = collections_.find(call.path());
    if (again == collections_.end()) break;
    for (; seen < again->second.changes.size(); ++seen) {
      lines.push_back(again->second.changes[seen].line);
    }
    lock.unlock();
    for (const std::string& line : lines) reply.line(line);
    const bool is_open = reply.is_open();
    lock.lock();
    if (!is_open) {
      const auto left = collections_.find(call.path());
      if (left != collections_.end()) --left->second.watchers;
      return;
    }
  }
  lock.unlock();
  reply.end_stream();
}

}  // namespace berth::kubeapi::testing
