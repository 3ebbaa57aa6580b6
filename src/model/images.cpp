#include "berth/model/images.h"

#include <algorithm>

#include "berth/base/check.h"

namespace berth {

const std::vector<ImageTable::OnNode>& ImageTable::on(const std::string& node) const {
  static const std::vector<OnNode> kNone;
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? kNone : found->second;
}

ImageId ImageTable::intern(const std::string& name) {
  const auto [entry, is_new] = id_by_name_.try_emplace(name, ImageId(images_.size()));
  if (!is_new) return entry->second;
  if (free_.empty()) {
    images_.emplace_back();
  } else {
    entry->second = free_.back();
    free_.pop_back();
  }
  images_[entry->second.index()] = {name, 0, 0};
  return entry->second;
}

void ImageTable::forget_if_unused(ImageId id) {
  Image& image = images_[id.index()];
  if (image.nodes > 0 || image.uses > 0) return;
  id_by_name_.erase(image.name);
  image = Image();
  free_.push_back(id);
}

bool ImageTable::set(const std::string& node, const NamedImages& images) {
  std::vector<OnNode> now;
  now.reserve(images.size());
  for (const auto& [name, size] : images) now.push_back({intern(name), size});
  std::stable_sort(now.begin(), now.end(),
                   [](const OnNode& left, const OnNode& right) { return left.id < right.id; });
  now.erase(
      std::unique(now.begin(), now.end(),
                  [](const OnNode& left, const OnNode& right) { return left.id == right.id; }),
      now.end());
  now.shrink_to_fit();
  std::vector<OnNode> before;
  if (const auto known = by_node_.find(node); known != by_node_.end()) {
    before = std::move(known->second);
    by_node_.erase(known);
  }
  bool is_named = false;
  const auto note_those_not_in = [&](const std::vector<OnNode>& some,
                                     const std::vector<OnNode>& others) {
    for (const OnNode& each : some) {
      if (images_[each.id.index()].uses == 0) continue;
      is_named = is_named || !std::binary_search(others.begin(), others.end(), each);
    }
  };
  note_those_not_in(before, now);
  note_those_not_in(now, before);
  for (const OnNode& each : now) ++images_[each.id.index()].nodes;
  for (const OnNode& each : before) --images_[each.id.index()].nodes;
  for (const OnNode& each : before) forget_if_unused(each.id);
  if (!now.empty()) by_node_.emplace(node, std::move(now));
  if (is_named) ++version_;
  return is_named;
}

ImageId ImageTable::take(const std::string& name) {
  const ImageId id = intern(name);
  ++images_[id.index()].uses;
  return id;
}

void ImageTable::give_back(ImageId id) {
  BERTH_CHECK(images_[id.index()].uses > 0);
  --images_[id.index()].uses;
  forget_if_unused(id);
}

}  // namespace berth
