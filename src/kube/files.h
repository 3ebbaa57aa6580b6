#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth::kube {

// The files of `paths`. A file stands for itself, whatever its name. A directory stands for the
// YAML and JSON files in it and below, in order of name. Hidden entries are left out, since a
// mounted ConfigMap keeps its old versions in them. A directory that links reach twice is read
// once.
Result<std::vector<std::filesystem::path>> find_manifest_files(
    const std::vector<std::filesystem::path>& paths);

// The whole content of a file, or an Error.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace berth::kube
