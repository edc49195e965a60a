#include "cli/verbs/find.hpp"

#include <gmock/gmock.h>

#include "cli/verbs/change.hpp"
#include "cli/verbs/command.hpp"
#include "tests/unit/api/steered.hpp"

namespace sluice::cli {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;

const std::string to_web = R"({"targetRef": "web"})";

// The names of objects of a kind, each for the workload web.
View seen(const std::map<std::string, std::vector<std::string>>& names, json::object set) {
    Told told;
    told.workloads.push_back(set);
    told.objects[api::find_dialect("sts")] = {set};
    for (const auto& [kind, objects] : names)
        for (const std::string& name : objects)
            told.objects[api::find_dialect(kind)].push_back(custom(name, to_web, "{}"));
    return assemble(told);
}

std::string chosen(const View& view, const std::string& text) {
    const auto wanted = parse_name(text);
    if (!wanted) return wanted.error();
    const auto found = choose(view, *wanted, "shop");
    return found ? (*found)->steered.title : found.error();
}

const std::string label = R"({"dd-statefulset-pilot": "careful"})";

TEST(FindingByName, a_name_leads_to_the_object_or_to_who_steers_the_workload) {
    const View view = seen({{"phasedrollout", {"careful"}}}, web_set());
    EXPECT_EQ(chosen(view, "careful"), "phasedrollout/careful");
    EXPECT_EQ(chosen(view, "web"), "phasedrollout/careful");
    EXPECT_EQ(chosen(view, "sts/web"), "phasedrollout/careful");
    EXPECT_EQ(chosen(view, "phasedrollout.sts.plus/careful"), "phasedrollout/careful");
    EXPECT_EQ(chosen(view, "phasedrollout/web"),
              "Nothing that is steered is called phasedrollout/web in namespace shop.");
    EXPECT_EQ(chosen(view, "rp/careful"),
              "Nothing that is steered is called rolloutplugin/careful in namespace shop.");
}

TEST(FindingByName, several_candidates_are_listed_and_none_is_taken) {
    const View view = seen({{"phasedrollout", {"careful", "web"}}}, web_set("{}", label));
    EXPECT_EQ(chosen(view, "web"),
              "\"web\" may mean phasedrollout/careful, phasedrollout/web, sts/web; say which.");
    EXPECT_EQ(chosen(view, "phasedrollout/web"), "phasedrollout/web");
    EXPECT_EQ(chosen(view, "careful"), "phasedrollout/careful");
}

TEST(FindingByName, a_set_that_nobody_steers_says_so) {
    const View view = seen({}, web_set());
    EXPECT_THAT(chosen(view, "web"), HasSubstr("is not steered: it has no label"));
    EXPECT_THAT(chosen(view, "sts/web"), HasSubstr("is not steered: it has no label"));
    EXPECT_EQ(chosen(view, "other"), "Nothing that is steered is called other in namespace shop.");
}

TEST(FindingByName, what_is_no_name_is_refused_before_anybody_is_asked) {
    const View none;
    for (const char* text : {"", "/", "sts/", "a/b/c", "UPPER", "sts/..", "x\x1b[2J"})
        EXPECT_THAT(chosen(none, text), HasSubstr("is not the name of an object")) << text;
    EXPECT_THAT(chosen(none, "pod/x"), HasSubstr("\"pod\" is not a kind that is steered"));
}

TEST(FindingByName, an_object_that_cannot_be_read_hides_no_other) {
    Told told;
    told.objects[api::find_dialect("rp")] = {json::object{{"metadata", 7}},
                                             custom("x", "{}", "{}")};
    const View view = assemble(told);
    EXPECT_EQ(view.found.size(), 1u);
    EXPECT_EQ(view.left_out.size(), 1u);
    EXPECT_THAT(chosen(view, "y"), HasSubstr("Not everything could be looked at: unreadable JSON"));
}

TEST(Commands, are_printed_so_that_they_lead_to_the_same_cluster) {
    const View view = seen({}, web_set("{}", label));
    Asked asked;
    EXPECT_EQ(command_text(asked, "pause", view.found.front()), "sluice pause sts/web -n shop");
    asked.program = program_name("/usr/local/bin/kubectl-sluice");
    asked.context = "arn:aws:eks/x";
    asked.kubeconfig = "/home/a b/it's";
    EXPECT_EQ(command_text(asked, "promote --full", view.found.front()),
              "kubectl sluice promote --full sts/web -n shop --context arn:aws:eks/x --kubeconfig "
              "'/home/a b/it'\\''s'");
    EXPECT_EQ(program_name("build/release/sluice"), "sluice");
    EXPECT_EQ(program_name(""), "sluice");
}

TEST(Preconditions, are_part_of_every_patch) {
    EXPECT_EQ(with_preconditions({{"status", json::object{{"abort", true}}}}, "u", "7"),
              json::parse(R"({"status": {"abort": true},
                              "metadata": {"uid": "u", "resourceVersion": "7"}})"));
    EXPECT_EQ(
        with_preconditions(
            {{"metadata", json::object{{"annotations", json::object{{"a", nullptr}}}}}}, "u", "7"),
        json::parse(R"({"metadata": {"annotations": {"a": null}, "uid": "u",
                                           "resourceVersion": "7"}})"));
}

}  // namespace
}  // namespace sluice::cli
