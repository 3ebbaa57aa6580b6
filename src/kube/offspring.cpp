#include "kube/offspring.h"

#include <utility>

#include "kube/children.h"
#include "kube/children/making.h"

namespace berth::kube {

namespace {

using document::Value;

std::string name_space_of(const Value& object) {
  std::string name_space = object.text_at({"metadata", "namespace"});
  return name_space.empty() ? "default" : name_space;
}

// All that one object of the input makes, also by those that it makes first.
class Family {
 public:
  Family(const Offspring::Sink& sink, std::size_t most, const std::string& file,
         std::vector<std::string>& warnings)
      : sink_(sink), most_(most), file_(file), warnings_(warnings) {}

  Result<Made> make(const Parent& parent) {
    made_.owner = parent.type.kind + " " + name_space_of(parent.object) + "/" +
                  parent.object.text_at({"metadata", "name"});
    place_ = document::place(file_, parent.object.position);
    if (const Status status = add(parent); !status) return status.error();
    return std::move(made_);
  }

 private:
  Status add(const Parent& parent) {
    const Result<std::string> remark = make_children(
        parent, [this](Value child) { return take(child); }, warnings_);
    if (!remark) return remark.error();
    if (made_.remark.empty()) made_.remark = *remark;
    return Done{};
  }

  Status take(const Value& child) {
    const TypeName type{child.text_at({"kind"}), child.text_at({"apiVersion"})};
    const bool is_pod = type.kind == kPodType.kind;
    if (++(is_pod ? made_.pods : others_) > most_) {
      return Error{made_.owner + " makes more than " + std::to_string(most_) +
                       (is_pod ? " pods" : " objects") + ", expected fewer",
                   place_};
    }
    if (const Status status = sink_(type, child, file_); !status) return status;
    if (!makes_children(type)) return Done{};
    return add({type, child, file_, true});
  }

  const Offspring::Sink& sink_;
  const std::size_t most_;
  const std::string& file_;
  std::vector<std::string>& warnings_;
  std::string place_;
  Made made_;
  std::size_t others_ = 0;  // made besides pods
};

}  // namespace

std::string Made::to_string() const {
  const std::string count = pods == 0   ? "none are"
                            : pods == 1 ? "1 is"
                                        : std::to_string(pods) + " are";
  return owner + " has no pods in the input; " + count + " made" +
         (remark.empty() ? "" : ": " + remark);
}

void Offspring::see(const TypeName& type, const Value& object) {
  const std::string name_space = name_space_of(object);
  if (const Value* const owners = object.at({"metadata", "ownerReferences"})) {
    for (const Value& owner : owners->items) {
      owner_uids_.insert(owner.text_at({"uid"}));
      owners_.emplace(owner.text_at({"kind"}), name_space, owner.text_at({"name"}));
    }
  }
  if (type.kind != kPodType.kind) return;
  for (const auto& [kind, maker] : makers_by_label(object)) {
    by_label_.emplace(kind, name_space, maker);
  }
}

Status Offspring::keep(const TypeName& type, Value& object, const std::string& file) {
  Value& metadata = map_in(object, "metadata");
  const std::string prefix = metadata.text_at({"generateName"});
  if (metadata.text_at({"name"}).empty() && !prefix.empty()) {
    put_text(metadata, "name", generated_name(prefix, type.kind, 0));
  }
  const Name name{type.kind, name_space_of(object), metadata.text_at({"name"})};
  const bool has_own_uid = !metadata.text_at({"uid"}).empty();
  if (!has_own_uid) {
    put_text(metadata, "uid", type.kind + ":" + std::get<1>(name) + "/" + std::get<2>(name));
  }
  const auto [entry, is_new] = kept_.try_emplace(name, Kept{type, object, file, has_own_uid});
  if (is_new) return Done{};
  const Kept& first = entry->second;
  return Error{type.kind + " \"" + std::get<1>(name) + "/" + std::get<2>(name) + "\" is also at " +
                   document::place(first.file, first.object.position) + ", expected it once",
               document::place(file, object.position)};
}

bool Offspring::has_children(const Name& name, const Kept& kept) const {
  if (by_label_.contains(name)) return true;
  if (!kept.has_own_uid) return owners_.contains(name);
  return owner_uids_.contains(kept.object.text_at({"metadata", "uid"}));
}

Status Offspring::make(const Sink& sink, std::vector<Made>& made,
                       std::vector<std::string>& warnings) const {
  for (const auto& [name, kept] : kept_) {
    if (has_children(name, kept)) continue;
    Family family(sink, most_, kept.file, warnings);
    Result<Made> of_one = family.make({kept.type, kept.object, kept.file, kept.has_own_uid});
    if (!of_one) return of_one.error();
    if (of_one->remark != kEnded) made.push_back(std::move(of_one).value());
  }
  return Done{};
}

}  // namespace berth::kube
