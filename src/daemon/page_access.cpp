#include "daemon/page_access.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/text.h"

namespace berth::daemon {

namespace {

bool is_probe(const std::string& path) {
  return path == "/healthz" || path == "/livez" || path == "/readyz";
}

// Empty: the caller shows none. The name of the scheme may be in any case (RFC 9110).
std::string bearer_token(const http::Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view header = request.authorization;
  if (lowered(header.substr(0, kScheme.size())) != kScheme) return {};
  return std::string(trimmed(header.substr(kScheme.size())));
}

http::Response refusal_of(const ports::CallerVerdict& verdict) {
  http::Response response = http::text_response(verdict.status, verdict.why);
  if (verdict.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

class Blind final : public ports::Viewer {
 public:
  void see(std::set<std::string>, Done done) override {
    done(std::make_shared<ports::SeenNamespaces>());
  }
};

// PAGE-12. One right is for the page with all its files.
std::string reviewed_path(const std::string& path) {
  return path.starts_with("/page/") ? "/page/" : path;
}

// `without`: the refusal of one who shows no token.
void answer_bearer(const SeenHandler& handler, ports::Callers* callers,
                   const http::Request& request, http::Responder responder,
                   std::string_view without) {
  const std::string token = bearer_token(request);
  if (token.empty() || callers == nullptr) {
    return responder.answer(http::text_response(403, without));
  }
  if (!request.is_encrypted) {
    return responder.answer(http::text_response(
        403, "others can read a token that comes in plain HTTP; expected https (pages.tls)"));
  }
  const auto waiting = std::make_shared<http::Responder>(std::move(responder));
  callers->ask(token, reviewed_path(request.path),
               [handler, request, waiting](const auto& verdict) {
                 if (verdict.status != 200) return waiting->answer(refusal_of(verdict));
                 handler(request, std::move(*waiting),
                         verdict.viewer != nullptr ? verdict.viewer : std::make_shared<Blind>());
               });
}

SeenHandler regardless(http::Handler handler) {
  return [handler = std::move(handler)](const http::Request& request, http::Responder responder,
                                        const ViewerOrAll&) {
    handler(request, std::move(responder));
  };
}

}  // namespace

http::Handler for_viewers(SeenHandler handler, ports::Callers* callers) {
  return [handler = std::move(handler), callers](const http::Request& request,
                                                 http::Responder responder) {
    const bool shows_token =
        callers != nullptr && request.is_encrypted && !bearer_token(request).empty();
    if (request.peer_name || (request.is_local && !shows_token)) {
      return handler(request, std::move(responder), nullptr);
    }
    answer_bearer(handler, callers, request, std::move(responder),
                  "the page names objects of all namespaces; expected a request at a loopback "
                  "address, as by kubectl port-forward, or over TLS with a client certificate or a "
                  "bearer token");
  };
}

http::Handler for_trusted(http::Handler handler, ports::Callers* callers) {
  return for_viewers(regardless(std::move(handler)), callers);
}

http::Handler for_known_clients(http::Handler handler, ports::Callers* callers) {
  return [handler = std::move(handler), callers](const http::Request& request,
                                                 http::Responder responder) {
    if (request.peer_name || is_probe(request.path)) return handler(request, std::move(responder));
    answer_bearer(regardless(handler), callers, request, std::move(responder),
                  "no client certificate; expected one of the authority in "
                  "pages.tls.clientCAFile, or a bearer token");
  };
}

bool is_our_host(std::string_view host, const std::vector<std::string>& hosts) {
  if (host.empty() || host.front() == '[') return true;  // none, or an address of IPv6
  std::string name = lowered(host.substr(0, host.find(':')));
  if (name.ends_with('.')) name.pop_back();
  const bool is_address = name.find_first_not_of("0123456789.") == std::string::npos;
  const bool is_inside = name.find('.') == std::string::npos || name.ends_with(".svc") ||
                         name.ends_with(".svc.cluster.local") || name.ends_with(".localhost");
  return is_address || is_inside || std::find(hosts.begin(), hosts.end(), name) != hosts.end();
}

http::Handler for_our_hosts(http::Handler handler, std::vector<std::string> hosts) {
  return [handler = std::move(handler), hosts = std::move(hosts)](const http::Request& request,
                                                                  http::Responder responder) {
    // Over TLS, the certificate has been compared with the name.
    if (request.is_encrypted || request.method != "GET" || is_our_host(request.host, hosts)) {
      return handler(request, std::move(responder));
    }
    responder.answer(http::text_response(
        421,
        "the header Host has no name of this server; expected an address, localhost, a "
        "Service, or one of pages.hosts"));
  };
}

}  // namespace berth::daemon
