#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "berth/engine/points.h"

namespace berth::engine {

// The plugins that have attached to each point of points.h, and their answers.
class PointTable {
 public:
  // Asks a point of points.h. The fold defines the type of the answer.
  template <class P, class... A>
  auto ask(const P&, const A&... arguments) const {
    return P::Fold::apply(table<P>(), arguments...);
  }
  // True if no plugin has attached to this point.
  template <class P>
  bool is_silent(const P&) const {
    return table<P>().empty();
  }

  // In Plugin::on_session_open: `session.attach<&Gang::is_complete>(points::job_ready, *this)`.
  template <auto Method, class P, class Rules>
  void attach(const P&, Rules& rules) {
    if (disabled_ != nullptr && disabled_->contains(std::string(P::name))) return;
    using Entry = Answer<typename P::Signature>;
    std::get<std::vector<Slot<P>>>(tables_).push_back(
        Slot<P>{Entry{&rules, thunk<Method, Rules>(static_cast<Entry*>(nullptr)), tier_}});
  }
  // For the Scheduler: the plugin that attaches next.
  void open_plugin(std::uint16_t tier, const std::set<std::string>* disabled) {
    tier_ = tier;
    disabled_ = disabled;
  }

 protected:
  void close_plugins() { disabled_ = nullptr; }

 private:
  template <class P>
  struct Slot : Answer<typename P::Signature> {
    explicit Slot(Answer<typename P::Signature> answer) : Answer<typename P::Signature>(answer) {}
  };
  template <class>
  struct TablesOf;
  template <class... P>
  struct TablesOf<std::tuple<P...>> {
    using type = std::tuple<std::vector<Slot<P>>...>;
  };

  template <class P>
  const std::vector<Slot<P>>& table() const {
    return std::get<std::vector<Slot<P>>>(tables_);
  }

  template <auto Method, class Rules, class R, class... A>
  static auto thunk(Answer<R(A...)>*) -> R (*)(void*, A...) {
    return [](void* object, A... arguments) -> R {
      return (static_cast<Rules*>(object)->*Method)(static_cast<A>(arguments)...);
    };
  }

  TablesOf<points::All>::type tables_;
  std::uint16_t tier_ = 0;
  const std::set<std::string>* disabled_ = nullptr;
};

}  // namespace berth::engine
