#include "api/extended_stateful_set/spec.hpp"

#include <gtest/gtest.h>

#include "tests/unit/api/extended_stateful_set/extended.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

Spec read(std::string spec) {
    testing::Known known;
    known.object.spec = std::move(spec);
    const auto read = read_spec(known.object);
    EXPECT_TRUE(read.has_value()) << (read ? "" : to_text(read.error()));
    return read.value_or(Spec{});
}

std::string with(const std::string& field) {
    std::string spec = testing::small_spec;
    return spec.insert(1, field + ",");
}

TEST(Scaling, GivesTheNearestNumberThatIsAllowed) {
    const Scaling odd{3, 13, true};
    EXPECT_EQ(odd.nearest(0), 3);
    EXPECT_EQ(odd.nearest(3), 3);
    EXPECT_EQ(odd.nearest(4), 5);
    EXPECT_EQ(odd.nearest(13), 13);
    EXPECT_EQ(odd.nearest(99), 13);
    EXPECT_EQ((Scaling{2, 6, true}.nearest(6)), 5);
    EXPECT_EQ((Scaling{2, 6, true}.nearest(2)), 3);
    EXPECT_EQ((Scaling{{}, {}, true}.nearest(0)), 0) << "none at all is no even number of them";
    EXPECT_EQ((Scaling{0, {}, true}.nearest(0)), 1) << "but a least number is one";
    EXPECT_TRUE(odd.allows(5));
    EXPECT_FALSE(odd.allows(6));
}

TEST(ExtendedSpec, WithoutReplicasHasTheLeastNumberThatIsAllowed) {
    std::string spec = with(R"("scaling":{"min":4,"max":13,"oddOnly":true})");
    spec.replace(spec.find(R"("replicas":2,)"), 13, "");
    EXPECT_EQ(read(spec).replicas, PodCount{5});
    spec.replace(spec.find(R"("min":4,)"), 8, "");
    EXPECT_EQ(read(spec).replicas, PodCount{1});
}

TEST(ExtendedSpec, HowManyPodsThereAreIsNoPartOfAVersion) {
    testing::Known known;
    const std::string before = known.digest();
    known.object.spec.replace(known.object.spec.find(R"("replicas":2)"), 12, R"("replicas":9)");
    EXPECT_EQ(known.digest(), before);
    known.object.spec.replace(known.object.spec.find("x:1"), 3, "x:2");
    EXPECT_NE(known.digest(), before);
}

TEST(ExtendedSpec, EveryFaultHasItsPath) {
    const std::pair<std::string, std::string> faults[] = {
        {R"({})", "spec.template"},
        {R"({"template":{}})", "spec.template.spec"},
        {R"({"template":{"spec":{}}})", "spec.template.spec.selector"},
        {R"({"template":{"spec":{"ordinals":{"start":1}}}})", "spec.template.spec.ordinals"},
        {R"({"template":{"spec":{"volumeClaimTemplates":[{}]}}})",
         "spec.template.spec.volumeClaimTemplates"},
        {with(R"("updateStrategy":{"canaryDeadlineSeconds":0})"),
         "spec.updateStrategy.canaryDeadlineSeconds"},
        {with(R"("scaling":{"min":5,"max":4})"), "spec.scaling.min"},
        {with(R"("scaling":{"min":4,"max":4,"oddOnly":true})"), "spec.scaling.oddOnly"},
        {with(R"("updateStrategy":{"canaries":-1})"), "spec.updateStrategy.canaries"},
        {with(R"("updateStrategy":{"gates":{"hook":"no hook"}})"),
         "spec.updateStrategy.gates.hook"}};
    for (const auto& [spec, path] : faults) {
        testing::Known known;
        known.object.spec = spec;
        const auto read = read_spec(known.object);
        ASSERT_FALSE(read.has_value()) << spec;
        EXPECT_TRUE(to_text(read.error()).contains(path)) << to_text(read.error());
    }
    testing::Known known;
    known.object.meta.key.name = std::string(name_length_max + 1, 'x');
    EXPECT_FALSE(read_spec(known.object).has_value());
}

TEST(Versions, AreCalledByTheirNumbers) {
    EXPECT_EQ(set_name("x", 12), "x-v12");
    EXPECT_EQ(version_in("x-v12"), 12);
    EXPECT_EQ(version_in("v3"), 3);
    for (const char* name :
         {"", "v", "x-v", "x-v0", "x-v01", "xv1", "x-v-1", "x-v1a", "x-v99999999999999999999"})
        EXPECT_EQ(version_in(name), 0) << name;
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
