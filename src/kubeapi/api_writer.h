#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "kubeapi/bodies.h"
#include "kubeapi/latest_writes.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/timer.h"
#include "ports/binder.h"
#include "ports/evictor.h"
#include "ports/pod_writer.h"
#include "ports/status_sink.h"

namespace berth::kubeapi {

// Everything that Berth writes, as requests to the API server. Any thread. A bind is tried again at
// once and then after a while, for the rest of its gang is bound; writes on pods are not, since
// Steering repeats what its round finds missing; all others are (latest_writes.h).
class ApiWriter final : public ports::Binder,
                        public ports::Evictor,
                        public ports::PodWriter,
                        public ports::StatusSink {
 public:
  using Complain = std::function<void(const std::string& message)>;

  // `client` must outlive the writer, and be stopped before the writer is destroyed.
  ApiWriter(RestClient& client, const Clock& clock, std::string instance, Complain complain);
  ~ApiWriter() override;

  // What was decided so far and is not sent yet is not sent any more; binds under way go on.
  void forget();
  // When the client was stopped: nothing is called back any more.
  void stop() { timer_.stop(); }
  WriteCounters counters(WriteKind kind) const { return latest_.counters(kind); }

  void bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) override;
  void evict(const ports::Eviction& eviction,
             std::function<void(ports::WriteOutcome)> done) override;
  void write(const ports::PodWrite& write, std::function<void(ports::WriteOutcome)> done) override;
  void write(const ports::GroupStatus& status) override;
  void write(const ports::QueueStatus& status) override;
  void write(const ports::NodeLock& lock) override;
  void write(const ports::JobMarks& job) override;
  void tell(const ports::Event& event) override;
  void record(const ports::GangRecord& record,
              std::function<void(ports::WriteOutcome)> done) override;

 private:
  struct Bind {
    ports::Binding binding;
    std::function<void(ports::BindOutcome)> done;
    int attempts = 0;
  };

  void post_binding(const std::shared_ptr<Bind>& bind);
  void on_binding_answer(const std::shared_ptr<Bind>& bind, const Response& response);
  // What the pod's node is now decides whether a refused or lost Binding is one.
  void look_at_node(const std::shared_ptr<Bind>& bind, const std::string& error, bool may_retry);

  RestClient& client_;
  const Clock& clock_;
  const std::string instance_;
  const Complain complain_;
  Timer timer_;
  LatestWrites latest_;
  std::atomic<std::uint64_t> events_ = 0;
};

}  // namespace berth::kubeapi
