#include "kubeapi/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace berth::kubeapi {

std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  const std::size_t padding = digits.size() - std::min(digits.find('='), digits.size());
  const std::string_view rest = std::string_view(digits).substr(digits.size() - padding);
  // OpenSSL passes over some other characters at the end.
  const bool is_sound = digits.find_first_not_of(kDigits) >= digits.size() - padding &&
                        rest.find_first_not_of('=') == rest.npos && padding <= 2;
  if (!is_sound || digits.size() % 4 != 0) return std::nullopt;
  std::string bytes(digits.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(digits.data()),
                                   static_cast<int>(digits.size()));
  if (size < 0) return std::nullopt;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace berth::kubeapi
