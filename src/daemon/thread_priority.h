#pragma once

namespace berth::daemon {

// Lets other threads of the process go first where there are more of them than processors: a
// session may wait a moment, a call of kube-scheduler's may not. For the calling thread, for good.
void lower_thread_priority();

}  // namespace berth::daemon
