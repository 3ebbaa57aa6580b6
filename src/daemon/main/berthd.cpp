#include <sys/resource.h>

#include <csignal>
#include <variant>

#include "daemon/app.h"
#include "daemon/flags.h"
#include "kubeapi/rest_client.h"

int main(int argc, char** argv) {
  berth::kubeapi::prepare_process();  // before there are threads
  const auto parsed = berth::daemon::parse_flags(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) return *status;

  // Blocked here, so blocked in every thread; run() waits for them. A peer that closes its
  // connection is reported by a return value.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A held bind holds a connection: as many as the hard limit allows.
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  return berth::daemon::run(std::get<berth::daemon::Flags>(parsed));
}
