#include "world/kube_scheduler.h"

#include <utility>

namespace berth::world {
namespace {

using apiview::testing::Pod;

embedded::ShownPod shown(const Pod& pod) {
  return {"default", pod.name, pod.uid, pod.version, pod.node, pod.scheduler, pod.affinity, ""};
}

embedded::KubeScheduler::Options options_of(bool serves_ours, bool serves_others) {
  embedded::KubeScheduler::Options options;
  if (!serves_ours) options.managed_schedulers = {};
  if (!serves_others) options.other_schedulers = {};
  return options;
}

}  // namespace

void Informer::take_list(std::string_view body) {
  informer_.take_list(body);
  compare();
}

bool Informer::take_event(std::string_view frame) {
  const bool goes_on = informer_.take_event(frame);
  compare();
  return goes_on;
}

void Informer::assume(const embedded::ShownPod& pod, const std::string& node) {
  informer_.assume({pod.name, pod.uid, pod.version, "", pod.scheduler, node});
}

void Informer::compare() {
  std::map<std::string, Pod> now;
  for (const auto& [name, pod] : informer_.store()) now[pod.uid] = pod;
  const auto before = std::exchange(known_, now);
  for (const auto& [uid, pod] : before) {
    if (!now.contains(uid)) handlers_.gone(uid);
  }
  for (const auto& [uid, pod] : now) {
    const auto old = before.find(uid);
    const bool is_same = old != before.end() && old->second.version == pod.version &&
                         old->second.affinity == pod.affinity;
    if (!is_same) handlers_.put(shown(pod));
  }
}

std::vector<std::string> Informer::complaints() const {
  std::vector<std::string> all = informer_.complaints();
  if (!informer_.end().empty()) all.push_back("kube-scheduler has ended: " + informer_.end());
  return all;
}

KubeScheduler::KubeScheduler(Agenda& agenda, Network& network, ApiServer& server, Berthd& berthd,
                             apiview::testing::Release release)
    : life_(agenda),
      informer_(release),
      scheduler_(options_of(true, false), parts(network, server, &berthd.verbs(), &berthd.view())) {
}

KubeScheduler::KubeScheduler(Agenda& agenda, Network& network, ApiServer& server,
                             const http::Router* extender)
    : life_(agenda),
      informer_(apiview::testing::Release::from_1_35),
      scheduler_(options_of(extender != nullptr, true), parts(network, server, extender, nullptr)) {
}

embedded::KubeScheduler::Parts KubeScheduler::parts(Network& network, ApiServer& server,
                                                    const http::Router* extender,
                                                    apiview::PodInterceptor* view) {
  embedded::PodInformer& informer =
      view != nullptr ? static_cast<embedded::PodInformer&>(informer_) : plain_informer_;
  return {life_,
          network,
          server,
          extender,
          view,
          informer,
          [&agenda = life_.agenda()](const std::string& line) { agenda.note(line); }};
}

}  // namespace berth::world
