#include "kubeapi/machine_thread.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "berth/base/thread_name.h"

namespace berth::kubeapi {

// A watch or a pause, which stop() and interrupt() end.
class MachineThread::Wait {
 public:
  explicit Wait(MachineThread& thread) : thread_(thread) { put(&end); }
  ~Wait() { put(nullptr); }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  Cancellation end;

 private:
  void put(Cancellation* wait) {
    const std::lock_guard lock(thread_.mutex_);
    thread_.wait_ = wait;
  }

  MachineThread& thread_;
  const std::stop_callback<std::function<void()>> on_stop_{thread_.cancel_.token(),
                                                           [this] { end.cancel(); }};
};

void MachineThread::start() {
  if (!thread_.joinable() && !cancel_.is_cancelled()) thread_ = std::thread([this] { run(); });
}

void MachineThread::stop() {
  cancel_.cancel();
  if (thread_.joinable()) thread_.join();
}

void MachineThread::interrupt() {
  const std::lock_guard lock(mutex_);
  if (wait_ != nullptr) wait_->cancel();
}

// API-17
Step MachineThread::pause(Duration length) {
  Wait wait(*this);
  wait.end.wait_for(length);
  return cancel_.is_cancelled() ? machine_.stop() : machine_.step();
}

void MachineThread::run() {
  name_thread(name_);
  Step step = machine_.step();
  while (step.request || step.pause) {
    if (step.pause) {
      step = pause(*step.pause);
      continue;
    }
    const bool is_urgent = step.request->urgent;
    Response response = step.is_watch ? watch(*step.request)
                        : is_urgent   ? client_.call(*std::move(step.request))
                                      : ask(*std::move(step.request));
    const bool is_given_up = cancel_.is_cancelled() && !is_urgent;
    step = is_given_up ? machine_.stop() : machine_.answered(std::move(response));
  }
}

Response MachineThread::watch(const Request& request) {
  Wait wait(*this);
  const auto take = [&](std::string_view frame) {
    if (!wait.end.is_cancelled() && !machine_.take(frame)) wait.end.cancel();
  };
  Response response = client_.stream(request, take, wait.end);
  response.is_silent = response.is_silent || wait.end.is_cancelled();
  return response;
}

// A request that stop() interrupts.
Response MachineThread::ask(Request request) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable_any came;
    std::optional<Response> response;
  };
  auto answer = std::make_shared<Answer>();
  client_.send(std::move(request), [answer](Response response) {
    const std::lock_guard lock(answer->mutex);
    answer->response = std::move(response);
    answer->came.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  answer->came.wait(lock, cancel_.token(), [&] { return answer->response.has_value(); });
  return std::move(answer->response).value_or(Response());
}

}  // namespace berth::kubeapi
