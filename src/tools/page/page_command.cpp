#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include "kubeapi/credentials.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/live/api_reader.h"
#include "tools/live/kube_flags.h"
#include "tools/option.h"
#include "tools/page/forward.h"
#include "tools/page/loopback.h"

namespace berth::tools {

namespace {

using Clock = std::chrono::steady_clock;
using Client = std::shared_ptr<http::HttpClient>;

constexpr const char* kPageHelp = "Brings berthd's page to a browser of this machine.";

constexpr const char* kPageMore =
    "Without --server, the page comes through kubectl port-forward, to the replica that leads:\n"
    "this takes the right to create pods/portforward in berthd's namespace, and shows the names\n"
    "of all namespaces. With --server https://..., it comes from there, with the bearer token of\n"
    "the kubeconfig or of --token-file: this takes the ClusterRole berth-page, and shows the "
    "names\n"
    "of the namespaces where the bearer may get PodGroups.\n"
    "\n"
    "Only browsers of this machine are answered, at 127.0.0.1. Ctrl-C ends it.\n"
    "\n"
    "Examples:\n"
    "  kubectl berth page\n"
    "  berth page --server https://berthd.example:8892 --tls-ca ca.crt\n"
    "\n"
    "Exit status: 0 ended by Ctrl-C, 2 bad input or no answer, 1 an internal error.";

constexpr std::chrono::seconds kLookEvery{5};    // at the leader
constexpr std::chrono::seconds kTokenEvery{30};  // a kubeconfig's program may ask its user
constexpr long kTickNs = 200'000'000;

struct PageFlags {
  ServerFlags server;
  KubeFlags kube;
  std::uint16_t port = 8893;
  std::uint16_t pages_port = 8892;
  std::string tls_name;
};

bool is_encrypted(const http::ClientOptions& options) { return options.url.starts_with("https"); }

// Of the kubeconfig; empty: it has none.
Result<std::string> own_token(KubeFlags flags) {
  flags.name_space.clear();  // it is berthd's
  if (!has_access(flags)) return std::string();
  Result<kubeapi::Access> access = open_access(flags);
  if (!access) return access.error();
  if (!access->token.is_given()) return std::string();
  auto credentials = kubeapi::Credentials::open(std::move(*access));
  if (!credentials) return credentials.error();
  return (*credentials)->token();
}

// berthd at the address of these flags. Over TLS with a token, so that berthd knows who asks.
Result<Client> berthd_at(const ServerFlags& server, const PageFlags& flags) {
  Result<http::ClientOptions> options = client_options(server);
  if (!options) return options.error();
  if (is_encrypted(*options) && options->bearer_token.empty() && server.tls_cert.empty()) {
    Result<std::string> token = own_token(flags.kube);
    if (!token) return token.error();
    options->bearer_token = std::move(*token);
  }
  if (options->tls) options->tls->server_name = flags.tls_name;
  auto client = http::HttpClient::create(std::move(*options));
  if (!client) return client.error();
  return Client(std::move(*client));
}

// Clients of berthd, each with the token as it is when it is made (PAGE-17).
class Clients {
 public:
  Clients(const PageFlags& flags, Loopback& loopback) : flags_(flags), loopback_(loopback) {}

  // The token before was refused or could not be read, and not just now; or there is none yet.
  bool wants_another() {
    if (loopback_.was_refused()) is_refused_ = true;
    const bool is_file = !flags_.server.token_file.empty();
    return is_refused_ && (is_file || !made_at_ || Clock::now() - *made_at_ >= kTokenEvery);
  }
  Result<Client> make(const ServerFlags& server) {
    made_at_ = Clock::now();
    Result<Client> made = berthd_at(server, flags_);
    is_refused_ = !made;
    return made;
  }

 private:
  const PageFlags& flags_;
  Loopback& loopback_;
  bool is_refused_ = true;
  std::optional<Clock::time_point> made_at_;
};

// Keeps a port-forward to the berthd that leads.
class Leader {
 public:
  Leader(const PageFlags& flags, Loopback& loopback) : flags_(flags), clients_(flags, loopback) {}

  // Empty: nothing has changed. An Error: it is not reached.
  Result<Client> look() {
    const std::string leader = name();
    const bool is_same = leader.empty() || leader == target_;
    if (forward_ != nullptr && !forward_->has_ended() && is_same) {
      if (!clients_.wants_another()) return {nullptr};
      return clients_.make(address());
    }
    forward_ = nullptr;
    target_ = leader.empty() ? "deployment/berth" : leader;
    std::vector<std::string> words{"port-forward",
                                   "--address",
                                   "127.0.0.1",
                                   "-n",
                                   flags_.kube.name_space,
                                   target_,
                                   ":" + std::to_string(flags_.pages_port)};
    if (!flags_.kube.kubeconfig.empty()) words.push_back("--kubeconfig=" + flags_.kube.kubeconfig);
    if (!flags_.kube.context.empty()) words.push_back("--context=" + flags_.kube.context);
    auto forward = Forward::start(words);
    if (!forward) return forward.error();
    forward_ = std::move(*forward);
    return clients_.make(address());
  }

 private:
  // Of the port-forward.
  ServerFlags address() const {
    ServerFlags server = flags_.server;
    server.url = std::string(server.tls_ca.empty() ? "http" : "https") +
                 "://127.0.0.1:" + std::to_string(forward_->port());
    return server;
  }
  // "pod/NAME"; empty: the Lease cannot be read.
  std::string name() {
    if (reader_ == nullptr) {
      if (auto reader = ApiReader::open(flags_.kube); reader) reader_ = std::move(*reader);
    }
    if (reader_ == nullptr) return "";
    const Objects lease =
        reader_->get({"coordination.k8s.io", "v1", "leases"}, flags_.kube.name_space, "berthd");
    if (!lease.ok() || lease.items.size() != 1) return "";
    std::string pod = lease.items.front().text_at({"spec", "holderIdentity"});
    pod.resize(std::min(pod.rfind('_'), pod.size()));
    return pod.empty() ? "" : "pod/" + pod;
  }

  const PageFlags& flags_;
  Clients clients_;
  std::unique_ptr<ApiReader> reader_;
  std::unique_ptr<Forward> forward_;
  std::string target_;
};

// Signals that end it come to wait_for_end() alone.
sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, each);
  return signals;
}

// `connect`: a berthd; null: the one before stays.
template <class Connect>
Status serve(const PageFlags& flags, Console& console, Loopback& loopback, Connect connect) {
  const sigset_t signals = end_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Result<Client> berthd = connect();
  if (!berthd) return berthd.error();
  loopback.set_berthd(*berthd);
  if (const Status started = loopback.start(flags.port); !started) {
    return Error{started.error().message + "; expected another --port, or 0", "--port"};
  }
  console.out << "the page is at " << loopback.url() << " until Ctrl-C" << std::endl;
  bool is_reached = true;
  const timespec tick{0, kTickNs};
  Clock::time_point looked_at = Clock::now();
  while (sigtimedwait(&signals, nullptr, &tick) < 0) {
    if (Clock::now() - looked_at < kLookEvery) continue;
    looked_at = Clock::now();
    berthd = connect();
    if (berthd && *berthd == nullptr) continue;
    if (!berthd && is_reached) console.err << "note: " << berthd.error().to_string() << std::endl;
    is_reached = static_cast<bool>(berthd);
    loopback.set_berthd(is_reached ? *berthd : nullptr,
                        is_reached ? "" : berthd.error().to_string());
  }
  return Done{};
}

Result<int> run(const PageFlags& flags, Console& console) {
  Loopback loopback;
  Status served = Done{};
  if (flags.server.is_asked()) {
    Clients clients(flags, loopback);
    served = serve(flags, console, loopback, [&]() -> Result<Client> {
      if (!clients.wants_another()) return {nullptr};
      return clients.make(flags.server);
    });
  } else {
    Leader leader(flags, loopback);
    served = serve(flags, console, loopback, [&] { return leader.look(); });
  }
  if (!served) return served.error();
  return kExitDone;
}

}  // namespace

Command add_page(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("page", kPageHelp);
  const auto flags = std::make_shared<PageFlags>();
  flags->kube.name_space = "berth-system";
  command->footer(kPageMore);
  add_option(*command, "--port", flags->port, "PORT", "Port at 127.0.0.1; 0: any; default: 8893");
  declare_server(*command, flags->server);
  add_option(*command, "--tls-name", flags->tls_name, "NAME",
             "For https: the name in berthd's certificate; default: the host of the address");
  declare_kubeconfig(*command, flags->kube);
  add_option(*command, "-n,--namespace", flags->kube.name_space, "NAMESPACE",
             "berthd's namespace; default: berth-system");
  add_option(*command, "--pages-port", flags->pages_port, "PORT",
             "berthd's port of pages; default: 8892");
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
