#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "ports/callers.h"

// Access to pages (docs/SECURITY.md#ports). `callers` are asked about the bearers of tokens,
// over TLS alone, and must outlive the servers; null: nobody can be asked, and a token is worth
// nothing.

namespace berth::daemon {

// The names that a caller sees; null: all.
using ViewerOrAll = std::shared_ptr<ports::Viewer>;
// A handler of a page that shows a caller the names that he may see.
using SeenHandler = std::function<void(const http::Request& request, http::Responder responder,
                                       const ViewerOrAll& viewer)>;

// For requests at a loopback address and holders of a client certificate, who see all names, and
// for bearers of a token that may get the path. One who shows a token over TLS is its bearer
// at a loopback address, too.
http::Handler for_viewers(SeenHandler handler, ports::Callers* callers);

// The same, for pages that name objects of all namespaces to each of them.
http::Handler for_trusted(http::Handler handler, ports::Callers* callers);

// For all pages of a server that knows its clients: for holders of a certificate and such bearers.
// The kubelet, which has neither, gets the probes.
http::Handler for_known_clients(http::Handler handler, ports::Callers* callers);

// Whether the header Host is an address, or a name that only somebody inside can point here:
// without a dot, of a Service, or one of `hosts` (lower case). Empty is none.
bool is_our_host(std::string_view host, const std::vector<std::string>& hosts);

// Refuses to GET in plain HTTP by other names with 421: a page of others whose name points here
// would read the answer in a browser (PAGE-15).
http::Handler for_our_hosts(http::Handler handler, std::vector<std::string> hosts);

}  // namespace berth::daemon
