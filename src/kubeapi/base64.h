#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::kubeapi {

// Standard base64 with padding, line breaks and blanks allowed; nothing when it is none.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace berth::kubeapi
