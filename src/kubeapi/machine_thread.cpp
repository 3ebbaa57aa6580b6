#include "kubeapi/machine_thread.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "berth/base/thread_name.h"

namespace berth::kubeapi {

void MachineThread::start() {
  if (!thread_.joinable() && !cancel_.is_cancelled()) thread_ = std::thread([this] { run(); });
}

void MachineThread::stop() {
  cancel_.cancel();
  if (thread_.joinable()) thread_.join();
}

void MachineThread::run() {
  name_thread(name_);
  Step step = machine_.step();
  while (step.request || step.pause) {
    if (step.pause) {  // API-17: stop() ends it
      step = cancel_.wait_for(*step.pause) ? machine_.stop() : machine_.step();
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
  Cancellation end;
  const std::stop_callback on_stop(cancel_.token(), [&] { end.cancel(); });
  const auto take = [&](std::string_view frame) {
    if (!end.is_cancelled() && !machine_.take(frame)) end.cancel();
  };
  return client_.stream(request, take, end);
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
