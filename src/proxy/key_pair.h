#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth::proxy {

// Makes `view.key` and `view.crt` in a directory, unless a pair is there that is valid for another
// day. The certificate is its own authority, for server and clients, for "localhost", 127.0.0.1 and
// ::1, and valid for ten years. The group may read the key if it may read the directory.
Status make_key_pair(const std::string& directory);

}  // namespace berth::proxy
