#pragma once

#include <span>
#include <string_view>

#include "http/message.h"

namespace berth::page {

// A file of the page. It is part of the program.
struct Asset {
  std::string_view name;  // "app.js"
  std::string_view type;  // its Content-Type
  std::string_view hash;  // of its content
  std::string_view bytes;
  std::string_view compressed;  // by gzip
};

// Generated when berthd is built (cmake/BerthBundle.cmake).
std::span<const Asset> assets();

// PAGE-9. "/page/app.js?HASH" never changes.
http::Response answer_of(const Asset& asset, const http::Request& request);

}  // namespace berth::page
