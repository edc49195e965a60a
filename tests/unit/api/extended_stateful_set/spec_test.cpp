#include "api/extended_stateful_set/spec.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

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

std::string many_zones(int count) {
    std::string zones = R"("zones":["z0")";
    for (int i = 1; i < count; ++i)
        zones += fmt::format(R"(,"z{}")", i);
    return zones + "]";
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
        {with(R"("zones":"a")"), "spec.zones: must be a list"},
        {with(R"("zones":["a","a"])"), "spec.zones: names a zone twice"},
        {with(R"("zones":["a b"])"), "spec.zones: has an entry"},
        {with(R"("az":[1])"), "spec.az: has an entry"},
        {with(R"("az":["a"],"zones":["a"])"), "spec.az: is another name"},
        {with(many_zones(64) + R"(,"scaling":{"min":20})"),
         "spec.zones: have more than 1000 pods together"},
        {with(many_zones(65)), "spec.zones: has more than 64 entries"},
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
    known.object.meta.key.name.pop_back();
    EXPECT_TRUE(read_spec(known.object).has_value());
    known.object.spec = with(R"("zones":["a"])");
    EXPECT_FALSE(read_spec(known.object).has_value()) << "the zone is a part of the names";
}

TEST(ExtendedSpec, HasZonesUnderEitherName) {
    EXPECT_EQ(read(with(R"("az":null)")).zones.names, std::vector<std::string>{});
    for (const char* key : {"az", "zones"}) {
        const Spec spec = read(with(fmt::format(R"("{}":["a","b"])", key)));
        EXPECT_EQ(spec.zones.names, (std::vector<std::string>{"a", "b"}));
        EXPECT_EQ(spec.zones.node_label, "topology.kubernetes.io/zone");
        EXPECT_EQ(spec.replicas, PodCount{2}) << "in each of them";
        EXPECT_EQ(spec.pods(), PodCount{4});
    }
    EXPECT_EQ(read(with(R"("zones":["a"],"zoneNodeLabel":"rack")")).zones.node_label, "rack");
}

TEST(ExtendedSpec, WhoDoesNotSayHowManyPodsThereAreChangesNoVersion) {
    testing::Known known;
    std::set<std::string> digests{known.digest()};
    for (const char* replicas : {R"("replicas":5,)", ""}) {
        known.object.spec = testing::small_spec;
        known.object.spec.replace(known.object.spec.find(R"("replicas":2,)"), 13, replicas);
        digests.insert(known.digest());
    }
    EXPECT_EQ(digests.size(), 1u);
}

TEST(ExtendedSpec, OtherZonesAreAnotherVersion) {
    testing::Known known;
    std::set<std::string> digests{known.digest()};
    for (const char* zones : {R"("zones":["a"])", R"("zones":["b"])", R"("zones":["a","b"])",
                              R"("zones":["a"],"zoneNodeLabel":"rack")"}) {
        known.object.spec = with(zones);
        digests.insert(known.digest());
    }
    EXPECT_EQ(digests.size(), 5u);
}

TEST(Versions, AreCalledByTheirNumbers) {
    EXPECT_EQ(version_in("v3"), 3);
    for (const char* name : {"", "v", "v0", "v01", "v-1", "v1a", "v99999999999999999999", "x1"})
        EXPECT_EQ(version_in(name), 0) << name;
}

TEST(Versions, HaveASetInEachZone) {
    for (const SetId id : {SetId{12}, SetId{1, 0}, SetId{3, 17}})
        EXPECT_EQ(set_id("x", set_name("x", id)), id);
    EXPECT_EQ(set_name("x", {12}), "x-v12");
    EXPECT_EQ(set_name("x", {12, 3}), "x-z3-v12");
    for (const char* name : {"", "x", "x-v", "x-v0", "x-v01", "xv1", "x-v-1", "x-v1a", "y-v1",
                             "x-z-v1", "x-z01-v1", "x-zz-v1", "x-z-1-v1", "x-z1-v0", "-v1"})
        EXPECT_EQ(set_id("x", name), std::nullopt) << name;
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
