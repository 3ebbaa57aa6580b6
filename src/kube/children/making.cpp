#include "kube/children/making.h"

#include <algorithm>

#include "berth/base/hash.h"
#include "berth/base/text.h"
#include "kube/known_fields.h"

namespace berth::kube {

namespace {

using document::Kind;
using document::Member;
using document::Value;

constexpr std::size_t kBaseMax = 58;  // of the API server

Value map_value() {
  Value map;
  map.kind = Kind::map;
  return map;
}

Value true_value() {
  Value truth;
  truth.kind = Kind::boolean;
  truth.truth = true;
  truth.text = "true";
  return truth;
}

Value copy_of(const document::Cursor& at) { return at.is_present() ? *at.value() : map_value(); }

}  // namespace

Value text_value(std::string text) {
  Value value;
  value.kind = Kind::string;
  value.text = std::move(text);
  return value;
}

Value& put(Value& map, std::string_view key, Value value) {
  for (Member& member : map.members) {
    if (member.key == key) return member.value = std::move(value);
  }
  map.members.push_back({std::string(key), value.position, std::move(value)});
  return map.members.back().value;
}

Value& put_text(Value& map, std::string_view key, std::string text) {
  Value value = text_value(std::move(text));
  value.position = map.position;
  return put(map, key, std::move(value));
}

Value& map_in(Value& map, std::string_view key) {
  for (Member& member : map.members) {
    if (member.key != key) continue;
    if (member.value.kind == Kind::null) member.value = map_value();
    return member.value;
  }
  Value inner = map_value();
  inner.position = map.position;
  return put(map, key, std::move(inner));
}

void put_labels(Value& object, const Texts& texts) {
  Value& labels = map_in(map_in(object, "metadata"), "labels");
  for (const auto& [key, text] : texts) put_text(labels, key, text);
}

void put_annotations(Value& object, const Texts& texts) {
  Value& annotations = map_in(map_in(object, "metadata"), "annotations");
  for (const auto& [key, text] : texts) put_text(annotations, key, text);
}

// A step that shares no factor with the number of suffixes visits each of them once.
std::string generated_name(std::string_view base, std::string_view seed, std::int64_t number) {
  constexpr std::uint64_t kStep = 5'915'587;
  const std::uint64_t code =
      fnv1a(seed) % (std::uint64_t{1} << 32U) + static_cast<std::uint64_t>(number) * kStep;
  return std::string(base.substr(0, kBaseMax)) + name_suffix(code);
}

std::string digest_of(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kLength = 40;
  std::string digest;
  std::uint64_t hash = kFnvOffset;
  while (digest.size() < kLength) {
    hash = fnv1a(text, hash);
    for (std::size_t i = 0; i < 8; ++i) digest += kDigits[hash >> (60U - 4U * i) & 15U];
  }
  return digest;
}

Making::Making(const Parent& parent, const ChildSink& sink, std::vector<std::string>& warnings)
    : reading_(parent.object, parent.file), parent_(parent), sink_(sink), warnings_(warnings) {
  const document::Cursor metadata = root()["metadata"];
  name_ = metadata.required_text("name");
  name_space_ = metadata["namespace"].text("default");
  uid_ = metadata["uid"].text();
}

std::string Making::one_of(const document::Cursor& at, const std::vector<std::string>& words) {
  std::string text = at.text(words.front());
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    at.complain("\"" + text + "\" is not known" + suggestion(text, words));
  }
  return text;
}

std::int64_t Making::count(const document::Cursor& at, std::int64_t fallback) {
  return at.integer(fallback, 0, kPodsMax);
}

Value Making::child(const TypeName& type, const std::string& name) const {
  const Value* const own = parent_.object.find("metadata");
  Value child = map_value();
  child.position = parent_.object.position;
  put_text(child, "apiVersion", type.api_version);
  put_text(child, "kind", type.kind);
  Value& metadata = map_in(child, "metadata");
  if (own != nullptr) metadata.position = own->position;
  put_text(metadata, "name", name);
  put_text(metadata, "namespace", name_space_);
  put_text(metadata, "uid", type.kind + ":" + name_space_ + "/" + name);
  const Value* const created = own == nullptr ? nullptr : own->find("creationTimestamp");
  if (created != nullptr) put(metadata, "creationTimestamp", *created);
  Value owner = map_value();
  put_text(owner, "apiVersion", parent_.type.api_version);
  put_text(owner, "kind", parent_.type.kind);
  put_text(owner, "name", name_);
  put_text(owner, "uid", uid_);
  put(owner, "controller", true_value());
  put(owner, "blockOwnerDeletion", true_value());
  Value owners;
  owners.kind = Kind::list;
  owners.items.push_back(std::move(owner));
  put(metadata, "ownerReferences", std::move(owners));
  return child;
}

Value Making::child(const TypeName& type, const std::string& name,
                    const document::Cursor& from) const {
  Value child = this->child(type, name);
  if (!from.is_present()) {
    from.complain("a template is missing, expected one with metadata and spec");
    return child;
  }
  child.position = from.value()->position;
  Value& metadata = map_in(child, "metadata");
  put(metadata, "labels", copy_of(from["metadata"]["labels"]));
  put(metadata, "annotations", copy_of(from["metadata"]["annotations"]));
  put(child, "spec", copy_of(from["spec"]));
  return child;
}

Value Making::pod(const std::string& name, const document::Cursor& from) const {
  Value pod = child(kPodType, name, from);
  if (from["spec"]["containers"].items().empty()) {
    from["spec"].complain("`containers` is missing, expected at least one");
  }
  return pod;
}

void Making::check(std::string_view type, const document::Cursor& at) {
  if (!parent_.is_from_cluster) check_fields(type, at, reading_, warnings_);
}

bool Making::give(Value child) {
  if (reading_.failed() || !given_) return false;
  given_ = sink_(std::move(child));
  return static_cast<bool>(given_);
}

Result<std::string> Making::finish(std::string remark) const {
  if (reading_.failed()) return reading_.error();
  if (!given_) return given_.error();
  return remark;
}

}  // namespace berth::kube
