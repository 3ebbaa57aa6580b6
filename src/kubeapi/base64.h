#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::kubeapi {

// Decodes standard base64 with padding; line breaks and blanks are allowed. Nothing for other text.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace berth::kubeapi
