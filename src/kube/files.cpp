#include "kube/files.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

namespace berth::kube {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPadding = 64;  // the JSON reader may read so far past the text

bool is_manifest(const fs::path& path) {
  const fs::path extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Error cannot_read(const fs::path& path, const std::string& why) {
  return {"cannot be read: " + why, path.string()};
}

Status find_in(const fs::path& directory, std::set<fs::path>& visited,
               std::vector<fs::path>& files) {
  std::error_code error;
  const fs::path canonical = fs::canonical(directory, error);
  if (error) return cannot_read(directory, error.message());
  if (!visited.insert(canonical).second) return Done{};

  std::vector<fs::path> entries;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (!at->path().filename().string().starts_with('.')) entries.push_back(at->path());
  }
  if (error) return cannot_read(directory, error.message());
  std::sort(entries.begin(), entries.end());

  for (const fs::path& entry : entries) {
    const fs::file_status status = fs::status(entry, error);
    if (fs::is_directory(status)) {
      if (const Status found = find_in(entry, visited, files); !found) return found;
    } else if (is_manifest(entry)) {
      if (error) return cannot_read(entry, error.message());
      if (fs::is_regular_file(status)) files.push_back(entry);
    }
  }
  return Done{};
}

}  // namespace

Result<std::vector<fs::path>> find_manifest_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  std::set<fs::path> visited;
  for (const fs::path& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      return cannot_read(path, error ? error.message() : "no such file or directory");
    }
    if (!fs::is_directory(status)) {
      files.push_back(path);
    } else if (const Status found = find_in(path, visited, files); !found) {
      return found.error();
    }
  }
  return files;
}

Result<std::string> read_file(const fs::path& path) {
  // A pipe carries the output of a command; a device may have no end.
  std::error_code unknown;
  const fs::file_type type = fs::status(path, unknown).type();
  if (type == fs::file_type::character || type == fs::file_type::block) {
    if (path != "/dev/stdin") return cannot_read(path, "it is a device, expected a file");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::error_code no_size;
  if (const auto size = fs::file_size(path, no_size); stream && !no_size) {
    text.reserve(size + kPadding);
  }
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  while (stream) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    stream.read(text.data() + before, static_cast<std::streamsize>(kChunk));
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof())
    return cannot_read(path, std::error_code(errno, std::generic_category()).message());
  return text;
}

}  // namespace berth::kube
