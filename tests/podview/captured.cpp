#include "podview/captured.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/checkout.h"

namespace berth::podview::testing {

namespace {

std::string read(const std::string& name) {
  std::ifstream file(support::source_file("tests/podview/testdata/") + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

}  // namespace

std::string captured_list() { return read("list.protobuf"); }

std::string captured_stream() { return read("stream.protobuf"); }

std::string captured_event() { return read("scheduled_event.protobuf"); }

}  // namespace berth::podview::testing
