#include "kubeapi/machine_thread.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "berth/base/thread_name.h"

namespace berth::kubeapi {

void MachineThread::start() {
  if (!thread_.joinable() && !end_.stop_requested()) thread_ = std::thread([this] { run(); });
}

void MachineThread::stop() {
  end_.request_stop();
  if (thread_.joinable()) thread_.join();
}

std::stop_source MachineThread::begin_wait() {
  const std::lock_guard lock(mutex_);
  return wait_ = std::stop_source();
}

void MachineThread::interrupt() {
  const std::lock_guard lock(mutex_);
  wait_.request_stop();
}

// API-17
Step MachineThread::pause(Duration length) {
  std::stop_source end = begin_wait();
  const std::stop_callback on_stop(end_.get_token(), [&] { end.request_stop(); });
  {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock lock(mutex);
    woken.wait_for(lock, end.get_token(), length, [] { return false; });
  }
  return end_.stop_requested() ? machine_.stop() : machine_.step();
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
    Response response = is_urgent ? client_.call(*std::move(step.request), {}) : answer_to(step);
    const bool is_given_up = end_.stop_requested() && !is_urgent;
    step = is_given_up ? machine_.stop() : machine_.answered(std::move(response));
  }
}

Response MachineThread::answer_to(const Step& step) {
  std::stop_source end = begin_wait();
  const std::stop_callback on_stop(end_.get_token(), [&] { end.request_stop(); });
  if (!step.is_watch) {
    Response response = client_.call(*step.request, end.get_token());
    response.is_silent = response.status == 0 && end.stop_requested();
    if (response.is_silent) response.error = client_.server() + ": given up, since it was silent";
    return response;
  }
  const auto take = [&](std::string_view frame) {
    if (!end.stop_requested() && !machine_.take(frame)) end.request_stop();
  };
  Response response = client_.stream(*step.request, take, end.get_token());
  response.is_silent = response.is_silent || end.stop_requested();
  return response;
}

}  // namespace berth::kubeapi
