// Example: the smallest honest plugin, to copy. docs/write-a-plugin.md walks through it.
// Rules: docs/design/example.md.
//
//   EXAMPLE-1  of two jobs that are equal otherwise, the one that needs fewer members goes first

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Example final : public Plugin {
 public:
  explicit Example(Arguments& arguments)
      : is_reversed_(arguments.boolean("example.reverse", false)) {}

  void on_session_open(Session& session) override {
    session.attach<&Example::smaller_gang_first>(points::job_order, *this);  // EXAMPLE-1
  }

 private:
  Order smaller_gang_first(const Job& left, const Job& right) const {
    return is_reversed_ ? right.min_available <=> left.min_available
                        : left.min_available <=> right.min_available;
  }

  bool is_reversed_;
};

}  // namespace

BERTH_PLUGIN(Example, "example");

}  // namespace berth::plugins
