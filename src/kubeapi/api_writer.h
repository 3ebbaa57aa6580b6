#pragma once

#include <functional>
#include <string>

#include "berth/base/executor.h"
#include "kubeapi/rest_client.h"
#include "ports/binder.h"
#include "ports/object_writer.h"

namespace berth::kubeapi {

// Everything that Berth writes, as requests to the API server. Any thread. A bind is tried again at
// once and then after a while, since the rest of its gang is bound. All other writes are one
// attempt (src/reconcile repeats them).
class ApiWriter final : public ports::Binder, public ports::ObjectWriter {
 public:
  // All must outlive the writer. The client and the executor, which waits before requests are sent
  // again, must be stopped before it is destroyed.
  ApiWriter(RestClient& client, Executor& executor, const Clock& clock, std::string instance);

  void bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) override;
  void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override;

 private:
  struct Bind {
    ports::Binding binding;
    std::function<void(ports::BindOutcome)> done;
    int attempts = 0;
  };

  void post_binding(const std::shared_ptr<Bind>& bind);
  void on_binding_answer(const std::shared_ptr<Bind>& bind, const Response& response);
  // Reads the pod: its node decides whether a refused or lost Binding has succeeded.
  void look_at_node(const std::shared_ptr<Bind>& bind, const std::string& error, bool may_retry);

  void read_and_write(Request request, const ports::Write& write, const std::string& what,
                      std::function<void(ports::WriteOutcome)> done);

  RestClient& client_;
  Executor& executor_;
  const Clock& clock_;
  const std::string instance_;
};

}  // namespace berth::kubeapi
