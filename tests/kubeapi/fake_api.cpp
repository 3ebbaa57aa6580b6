#include "kubeapi/fake_api.h"

#include <chrono>
#include <vector>

namespace berth::kubeapi::testing {

void FakeApi::change(const std::function<void(FakeStore&)>& by) {
  const std::lock_guard lock(mutex_);
  by(store_);
  changed_.notify_all();
}

bool FakeApi::wait_for_watch(const std::string& path) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return watchers_[path] > 0; });
}

void FakeApi::intercept(Intercept by) {
  const std::lock_guard lock(mutex_);
  intercept_ = std::move(by);
}

std::map<std::string, std::string> FakeApi::objects(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return store_.objects(path);
}

void FakeApi::handle(const Call& call, Reply& reply) {
  std::unique_lock lock(mutex_);
  const Intercept intercept = intercept_;
  lock.unlock();
  if (intercept && intercept(call, reply)) return;
  if (call.is_watch()) return watch(call, reply);
  lock.lock();
  const FakeStore::Answer answer = store_.list(call);
  lock.unlock();
  reply.send(answer.status, answer.body);
}

void FakeApi::watch(const Call& call, Reply& reply) {
  std::vector<std::string> lines;
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  const FakeStore::Answer answer = store_.begin_watch(call, lines, seen);
  if (answer.status != 200) {
    lock.unlock();
    reply.send(answer.status, answer.body);
    return;
  }
  ++watchers_[call.path()];
  changed_.notify_all();
  lock.unlock();
  reply.begin_stream();
  while (true) {
    for (const std::string& line : lines) reply.line(line);
    const bool is_open = reply.is_open();
    lock.lock();
    if (!is_open) break;
    // Checks now and then whether the peer is still connected.
    lines = store_.lines_after(call.path(), seen);
    if (lines.empty()) changed_.wait_for(lock, std::chrono::milliseconds(10));
    lock.unlock();
  }
  --watchers_[call.path()];
}

}  // namespace berth::kubeapi::testing
