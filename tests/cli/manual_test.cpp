#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/manual.h"

namespace berth::cli {
namespace {

TEST(Manual, HasTheSectionsOfAPage) {
  CLI::App app("Answers questions.", "berth");
  CLI::App* const why = app.add_subcommand("why", "Says why a job waits. And more.");
  std::string job;
  why->add_option("JOB", job, "A name")->type_name("JOB")->required();
  why->add_option("-o,--output", job, "The form")->type_name("table|json");
  why->footer(".dotted line of a paragraph\n\nExamples:\n  berth why a-b\n\nExit status: 0 done");
  const std::string page = manual_page(*why, 1, "berth(1)");
  EXPECT_EQ(page, ".TH BERTH-WHY 1 \"\" \"berth " BERTH_VERSION
                  "\" \"Berth\"\n"
                  ".SH NAME\nberth\\-why \\- says why a job waits\n"
                  ".SH SYNOPSIS\n.B berth why\n[\\fIOPTION\\fR]...\n\\fIJOB\\fR\n"
                  ".SH DESCRIPTION\nSays why a job waits. And more.\n"
                  ".PP\n\\&.dotted line of a paragraph\n"
                  ".SH OPTIONS\n.TP\n\\fB\\-h, \\-\\-help\\fR\nPrint this help message and exit\n"
                  ".TP\n\\fB\\-o, \\-\\-output\\fR \\fItable|json\\fR\nThe form\n"
                  ".SH EXAMPLES\n.nf\n  berth why a\\-b\n.fi\n"
                  ".SH EXIT STATUS\n0 done\n"
                  ".SH SEE ALSO\nberth(1)\n");
}

TEST(Manual, NamesSubcommands) {
  CLI::App app("Answers questions.", "berth");
  app.add_subcommand("plan", "Plans.");
  app.add_subcommand("man", "Hidden.")->group("");
  const std::string page = manual_page(app, 1, "berthd(8)");
  EXPECT_NE(page.find(".SH COMMANDS\n.TP\n\\fBplan\\fR\nPlans.\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("Hidden"), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
