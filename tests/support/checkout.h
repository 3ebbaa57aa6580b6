#pragma once

#include <string>

// Where tests find the files of this checkout and the programs of this build. Only one small object
// holds the paths, so that ccache shares the objects of all tests between checkouts.

namespace berth::support {

// The absolute path of a file or folder, by its path in the repository.
std::string source_file(const std::string& path);

// The absolute path of a program of this build; with "", of their folder.
std::string built_file(const std::string& name);

}  // namespace berth::support
