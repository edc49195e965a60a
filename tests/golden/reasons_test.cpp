// docs/reasons.md is the reason table, in Markdown.
#include <fmt/format.h>

#include "engine/reason.hpp"
#include "tests/golden/golden.hpp"

namespace sluice::golden {
namespace {

// A bar inside a cell would end it.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '|') escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string reasons_page() {
    std::string page =
        "# Reasons\n\n"
        "Why a rollout is where it is. The same names stand in the annotation "
        "`sluice.dev/reason`,\n"
        "in events, in metrics and in the log. Normal reasons are information; warnings want a "
        "look.\n\n"
        "| Reason | Kind | Meaning | What unblocks it |\n"
        "|---|---|---|---|\n";
    for (const engine::ReasonEntry& one : engine::reasons())
        page += fmt::format("| {} | {} | {} | {} |\n", cell(one.name),
                            one.tone == engine::Tone::Warning ? "Warning" : "Normal",
                            cell(one.meaning), one.unblock.empty() ? "-" : cell(one.unblock));
    return page;
}

TEST(Golden, ThePageOfReasonsIsTheTableOfReasons) {
    expect_golden("docs/reasons.md", reasons_page());
}

}  // namespace
}  // namespace sluice::golden
