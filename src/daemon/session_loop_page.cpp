#include "daemon/session_loop.h"

// The page (docs/design/page.md).

namespace berth::daemon {

engine::SessionObserver& SessionLoop::observer() {
  if (parts_.page == nullptr) return parts_.metrics;
  return parts_.page->begin_session();
}

void SessionLoop::look_at(const std::vector<JobId>& waiting) {
  reconciler_.look_at(waiting);
  if (parts_.page != nullptr) parts_.page->note(waiting);
}

// PAGE-13
void SessionLoop::answer_page() {
  if (parts_.page == nullptr) return;
  const Cluster* const cluster = epoch_ == 0 ? nullptr : &mirror_.cluster();
  parts_.page->answer(cluster, announcer_.waiting(), parts_.clock.now());
}

}  // namespace berth::daemon
