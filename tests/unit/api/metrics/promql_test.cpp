#include "api/metrics/prometheus.hpp"

#include <gtest/gtest.h>

namespace sluice::api::metrics {
namespace {

TEST(PromQl, AcceptsWhatClosesWhatItOpens) {
    for (const std::string expr : {
             R"(up)",
             R"(sum by (pod) (rate(errors_total{app="web",code=~"5.."}[5m])) > 0)",
             R"(max_over_time(up[1h:5m] offset 5m))",
             R"(label_replace(up, "a", "$1", "b", "(.*"))",
             R"x(a{b="]})"})x",
             R"(a{b='it is "open'})",
             R"(a{b="\"}"})",
             R"(a{b='\''})",
             "a{b=`\\`}",
             "a{b=`one\ntwo(`}",
             "up # and (this is a comment\n",
             "# first\nup\n",
             "a{b=\"#(\"}",
             "\tup\r\n",
             "up{m=\"ü\"}",
         }) {
        EXPECT_EQ(promql_problem(expr).value_or("fine"), "fine") << expr;
    }
}

TEST(PromQl, NamesWhatIsWrong) {
    struct Row {
        std::string expr, problem;
    };
    for (const Row& row : {
             Row{"", "holds no expression"},
             Row{" \t\n", "holds no expression"},
             Row{"# up", "holds no expression"},
             Row{"# up\n  # more", "holds no expression"},
             Row{"rate(up", "'(' at position 5 is never closed"},
             Row{"rate(up[5m)",
                 "')' at position 11 stands where '[' at position 8 should be closed"},
             Row{"up)", "')' at position 3 closes nothing"},
             Row{"up}", "'}' at position 3 closes nothing"},
             Row{"{", "'{' at position 1 is never closed"},
             Row{"(up # )", "'(' at position 1 is never closed"},
             Row{"a{b=\"c}", "the quote '\"' at position 5 is not closed"},
             Row{"a{b='c\\'}", "the quote ''' at position 5 is not closed"},
             Row{"a{b=`c}", "the quote '`' at position 5 is not closed"},
             Row{"a{b=\"c\n\"}", "the quote '\"' at position 5 is not closed"},
             Row{"a{b=\"\\", "the quote '\"' at position 5 is not closed"},
             Row{std::string("u\0p", 3), "holds a control character"},
             Row{"u\x1bp", "holds a control character"},
             Row{std::string(8193, 'a'), "is longer than 8 KiB"},
         }) {
        EXPECT_EQ(promql_problem(row.expr).value_or("fine"), row.problem) << row.expr;
    }
    EXPECT_FALSE(promql_problem(std::string(8192, 'a')));
    EXPECT_FALSE(promql_problem(std::string(4096, '(') + std::string(4096, ')')));
}

}  // namespace
}  // namespace sluice::api::metrics
