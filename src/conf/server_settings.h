#pragma once

#include "conf/config.h"
#include "document/cursor.h"

// The sections about servers: what berthd listens on, and how clients are known.

namespace berth::conf {

void read_extender(document::Reading& reading, const document::Cursor& from, ExtenderSettings& to);
void read_pages(document::Reading& reading, const document::Cursor& from,
                std::optional<PagesSettings>& to);
void read_view(document::Reading& reading, const document::Cursor& from, ViewSettings& to);

}  // namespace berth::conf
