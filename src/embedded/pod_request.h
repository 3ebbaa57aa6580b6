#pragma once

#include <functional>
#include <memory>
#include <string>

#include "berth/base/executor.h"
#include "embedded/api_server.h"
#include "embedded/link.h"
#include "embedded/pod_informer.h"
#include "proxy/exchange.h"

namespace berth::embedded {

// One request of kube-scheduler for pods, through the view if there is one, to the API server.
// The executor is of both: they are neighbours, and a stream ends with either.
class PodRequest final : public proxy::Reply, public std::enable_shared_from_this<PodRequest> {
 public:
  struct Parts {  // all must outlive it
    Executor& executor;
    Link& link;
    ApiServer& server;
    proxy::Interceptor* view;  // null: it goes to the API server
    PodInformer& informer;
    std::function<void()> has_come;  // the informer has something new
    std::function<void()> is_over;   // its next request may follow
  };

  explicit PodRequest(Parts parts) : parts_(std::move(parts)) {}
  void begin();
  void server_changed();
  // The connection breaks.
  void cut();

  // --- proxy::Reply, of the view --------------------------------------------------------------
  void head(int status, proxy::Headers headers) override;
  void body(std::string bytes) override;
  void end() override;
  void abort() override;
  std::size_t queued() const override { return text_.size(); }
  bool is_full() override { return text_.size() > kRoom; }
  void leave_upstream() override { has_left_ = true; }

 private:
  static constexpr std::size_t kRoom = 64 << 10;

  bool reads_upstream() const;
  void begin_upstream();
  void answer_list();
  void begin_watch();
  void deliver();
  void upstream_head();
  void upstream_body(const std::string& bytes);
  void upstream_end();
  void drain_soon();
  void drain();
  void finish(bool is_delivered);

  Parts parts_;
  std::unique_ptr<proxy::Exchange> exchange_;  // null: what comes goes on as it is
  std::string target_;
  bool is_list_ = false;
  bool has_begun_ = false;  // upstream's watch
  bool is_on_its_way_ = false;
  std::uint64_t version_ = 0;  // upstream's
  int status_ = 0;
  std::string text_;  // on its way to kube-scheduler
  bool has_left_ = false;
  bool has_ended_ = false;
  bool is_broken_ = false;
  bool is_draining_ = false;
  bool is_finished_ = false;
};

}  // namespace berth::embedded
