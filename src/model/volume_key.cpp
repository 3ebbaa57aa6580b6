#include "berth/model/volume_table.h"

// Lengths and texts, so that different needs give different keys.

namespace berth {

namespace {

class NeedWriter {
 public:
  explicit NeedWriter(std::string& key) : key_(key) {}

  void write(std::string_view text) {
    key_ += std::to_string(text.size());
    key_ += ':';
    key_ += text;
  }
  void write(const std::string& text) { write(std::string_view(text)); }
  void write(std::int64_t number) { write(std::string_view(std::to_string(number))); }
  void write(bool is_set) { key_ += is_set ? '1' : '0'; }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::int64_t>(values.size()));
    for (const T& value : values) write(value);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  void write(const Expression& expression) {
    write(expression.key);
    write(static_cast<std::int64_t>(expression.op));
    write(expression.values);
  }
  void write(const SelectorTerm& term) {
    write(term.labels);
    write(term.fields);
  }
  void write(const ZoneLabel& zone) {
    write(zone.key);
    write(zone.values);
  }
  void write(const Disk& disk) {
    write(static_cast<std::int64_t>(disk.kind));
    write(disk.id);
    write(disk.pool);
    write(disk.monitors);
    write(disk.is_read_only);
  }
  void write(const VolumeNeed& need) {
    write(need.is_bound);
    write(need.is_missing);
    write(need.affinity);
    write(need.zones);
    write(need.class_name);
    write(need.size);
    write(static_cast<std::int64_t>(need.modes));
    write(need.is_block);
    write(need.attributes_class);
    write(need.selector);
    write(need.selected_node);
    write(need.driver);
    write(need.claim);
    write(static_cast<std::int64_t>(need.volume));
    write(need.is_for_one_pod);
  }

 private:
  std::string& key_;
};

}  // namespace

void append_key(std::string& key, const VolumeNeeds& needs) {
  NeedWriter writer(key);
  writer.write(needs.claims);
  writer.write(needs.disks);
  writer.write(needs.has_node);
  writer.write(needs.depend_on_plan);
  writer.write(needs.fault);
}

}  // namespace berth
