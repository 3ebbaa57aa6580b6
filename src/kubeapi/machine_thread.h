#pragma once

#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "kubeapi/rest_client.h"
#include "kubeapi/state_machine.h"

namespace berth::kubeapi {

// Carries out the steps of a state machine, on a thread of its own.
class MachineThread {
 public:
  // `client` and `machine` must outlive this. `name`: of the thread.
  MachineThread(RestClient& client, StateMachine& machine, std::string name)
      : client_(client), machine_(machine), name_(std::move(name)) {}
  ~MachineThread() { stop(); }
  MachineThread(const MachineThread&) = delete;
  MachineThread& operator=(const MachineThread&) = delete;

  void start();
  // Gives up what is under way, but for an urgent request, and returns when the machine is over.
  // Idempotent. Any thread but its own.
  void stop();
  // Ends the request under way, as one that was silent, or the pause. Any thread.
  void interrupt();

 private:
  void run();
  std::stop_source begin_wait();
  Step pause(Duration length);
  Response answer_to(const Step& step);

  RestClient& client_;
  StateMachine& machine_;
  const std::string name_;
  std::stop_source end_;
  std::mutex mutex_;
  std::stop_source wait_;  // of the last request or pause
  std::thread thread_;
};

}  // namespace berth::kubeapi
