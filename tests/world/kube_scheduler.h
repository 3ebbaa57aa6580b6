#pragma once

#include <map>
#include <string>
#include <vector>

#include "apiview/kube_scheduler.h"
#include "embedded/kube_scheduler.h"
#include "world/berthd.h"

namespace berth::world {

// The informer of a release, which complains of what it is shown.
class Informer final : public embedded::PodInformer {
 public:
  explicit Informer(apiview::testing::Release release) : informer_(release) {}

  void set_handlers(Handlers handlers) override { handlers_ = std::move(handlers); }
  std::string query() const override { return informer_.query(); }
  bool is_listing() const override { return informer_.is_listing(); }
  void take_list(std::string_view body) override;
  bool take_event(std::string_view frame) override;
  void take_status(int status) override { informer_.take_status(status); }
  void end_stream() override { informer_.end_stream(); }
  void assume(const embedded::ShownPod& pod, const std::string& node) override;
  void forget(const std::string& uid) override { informer_.forget(uid); }

  std::vector<std::string> complaints() const;

 private:
  void compare();

  apiview::testing::KubeScheduler informer_;
  Handlers handlers_;
  std::map<std::string, apiview::testing::Pod> known_;  // by uid, as last handed on
};

class KubeScheduler {
 public:
  // Of Berth's pods, through the view. It ends with its berthd, as both are one pod.
  KubeScheduler(Agenda& agenda, Network& network, ApiServer& server, Berthd& berthd,
                apiview::testing::Release release);
  // The cluster's own: of all pods, or null: of those that are not Berth's.
  KubeScheduler(Agenda& agenda, Network& network, ApiServer& server, const http::Router* extender);

  Life& life() { return life_; }
  void server_changed(const ApiServer::Change& change) { scheduler_.server_changed(change); }
  // Faults in what it was shown.
  std::vector<std::string> complaints() const { return informer_.complaints(); }

 private:
  embedded::KubeScheduler::Parts parts(Network& network, ApiServer& server,
                                       const http::Router* extender, apiview::PodInterceptor* view);

  Life life_;
  Informer informer_;
  embedded::ListingInformer plain_informer_;  // in steering mode `nominate`, without a view
  embedded::KubeScheduler scheduler_;
};

}  // namespace berth::world
