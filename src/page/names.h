#pragma once

#include <set>
#include <string>
#include <string_view>

#include "ports/callers.h"

// Names of objects of namespaces in the items of the state (PAGE-14). They stand between marks,
// bytes below 0x20, which JSON has nowhere else, until an answer is made for somebody.

namespace berth::page {

// Stands for a name that the caller may not see.
inline constexpr std::string_view kHidden = "a job of another namespace";

// A string of JSON; bytes that are no UTF-8 are replaced.
void append_text(std::string& to, std::string_view text);
// The same, as a name of this namespace. Empty: it is of none, and all see it.
void append_name(std::string& to, std::string_view name_space, std::string_view name);
// The same, as a message about an object of this namespace, which as a whole is hidden from others,
// and in which "namespace/name" is a name.
void append_message(std::string& to, std::string_view name_space, std::string_view message);

// "ml" of "ml/train"; empty: it has none.
std::string_view namespace_of(std::string_view full_name);

// Adds the namespaces of the names, but not of those within messages: users write these.
void add_namespaces(std::set<std::string>& to, std::string_view marked);
// Without marks, and without what the caller may not see. Null: he sees all.
void append_shown(std::string& to, std::string_view marked, const ports::SeenNamespaces* seen);

}  // namespace berth::page
