#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/answering_server.h"
#include "tools/berth_process.h"
#include "views/reservation_document.h"

namespace berth::tools {
namespace {

using nlohmann::json;

std::string document() {
  views::ReservationTable table;
  table.node_count = 4;
  table.rows.resize(1);
  table.rows[0].job = "ml/big";
  table.rows[0].why = "it has waited longest";
  table.rows[0].nodes = {"n1", "n2"};
  return views::write_reservation_table(table);
}

TEST(ReservationsCommand, AsksARunningBerthd) {
  const AnsweringServer server("/reservations", {200, "application/json", document()});
  const Outcome outcome = run_program({"reservations", "--server", server.url(), "-o", "json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, document());
  const Outcome table = run_program({"reservations", "--server", server.url(), "-o", "table"});
  EXPECT_NE(table.out.find("ml/big"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("2 of 4 nodes are locked"), std::string::npos) << table.out;
}

TEST(ReservationsCommand, SaysWhyThereIsNoAnswer) {
  const AnsweringServer server("/reservations", http::text_response(503, "not the leader"));
  const Outcome refused = run_program({"reservations", "--server", server.url()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("answered 503: not the leader"), std::string::npos) << refused.err;
}

TEST(ReservationsCommand, ShowsThoseOfManifests) {
  const auto in_form = [](const std::string& form) {
    std::vector<std::string> words = about_reservation("reservations", "4");
    words.push_back(form);
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(in_form("table"), read_text(testdata("reservation/reservations.golden")));
  const json shown = json::parse(in_form("json"));
  EXPECT_EQ(shown["lockedNodes"], 2);
  EXPECT_EQ(shown["targets"][0]["job"], "ml/big");
  EXPECT_EQ(shown["targets"][0]["idleRoomSeconds"]["cpu"], "220");
}

TEST(ReservationsCommand, WithoutReservationThereAreNone) {
  const Outcome outcome = run_program({"reservations", "--cluster", testdata("gangs")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["targets"], json::array());
  EXPECT_EQ(json::parse(outcome.out)["nodes"], 3);
}

TEST(ReservationsCommand, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"reservations"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_NE(refused({"--cluster", "x", "--server", "http://h:1"}).find("together with --cluster"),
            std::string::npos);
  EXPECT_NE(refused({"-o", "yaml"}).find("expected table, wide or json"), std::string::npos);
  EXPECT_NE(refused({"--sever", "x"}).find("did you mean \"--server\"?"), std::string::npos);
}

}  // namespace
}  // namespace berth::tools
