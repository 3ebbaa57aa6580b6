#include "daemon/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace berth::daemon {

void lower_thread_priority() {
  constexpr int kNicer = 10;
  // Linux has a nice value for each thread; to raise it needs no rights. Without it all still
  // works.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNicer));
}

}  // namespace berth::daemon
