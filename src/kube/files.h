#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth::kube {

// The files that `paths` stand for: a file stands for itself, whatever its name; a directory for
// the
// *.yaml, *.yml and *.json in it and below, in order of name. Hidden entries are left out (a
// mounted ConfigMap keeps its old versions in them); a directory reached twice by links is read
// once.
Result<std::vector<std::filesystem::path>> find_manifest_files(
    const std::vector<std::filesystem::path>& paths);

// All of a file, or why not.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace berth::kube
