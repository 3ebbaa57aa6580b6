#pragma once

#include <optional>

#include "berth/engine/session.h"

namespace berth::actions {

// Members are placed in this domain until the end of the scope.
class InDomain {
 public:
  InDomain(engine::Session& session, const std::optional<engine::Start>& start)
      : session_(session), is_set_(start) {
    if (is_set_) session_.start_in(start);
  }
  ~InDomain() {
    if (is_set_) session_.start_in(std::nullopt);
  }
  InDomain(const InDomain&) = delete;
  InDomain& operator=(const InDomain&) = delete;

 private:
  engine::Session& session_;
  bool is_set_;
};

}  // namespace berth::actions
