#pragma once

#include "http/message.h"
#include "ports/callers.h"

// Access to pages (docs/SECURITY.md#ports). `callers` are asked about the bearers of tokens,
// over TLS alone, and must outlive the servers; null: nobody can be asked, and a token is worth
// nothing.

namespace berth::daemon {

// For pages that name objects of all namespaces: for requests at a loopback address, holders of a
// client certificate, and bearers of a token that may get the path.
http::Handler for_trusted(http::Handler handler, ports::Callers* callers);

// For all pages of a server that knows its clients: for holders of a certificate and such bearers.
// The kubelet, which has neither, gets the probes.
http::Handler for_known_clients(http::Handler handler, ports::Callers* callers);

}  // namespace berth::daemon
