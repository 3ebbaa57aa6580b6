#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "berth/base/result.h"

namespace berth::conf {

// Watches the directory of a file. It sees renames by editors, a file that goes and comes back, and
// the symlink swap of a mounted ConfigMap. It polls every few seconds for changes behind other
// links and for a replaced directory.
class FileWatch {
 public:
  // Called on the watch's own thread with the new text, once for each change of content, after a
  // short quiet time. An unreadable file is no change.
  using Callback = std::function<void(std::string text)>;

  // `text` is the content that the caller has read already.
  static Result<std::unique_ptr<FileWatch>> start(const std::filesystem::path& file,
                                                  std::string text, Callback callback);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Returns when no callback will come. Idempotent; not from the callback.
  void stop();

 private:
  class Loop;
  explicit FileWatch(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace berth::conf
