#include "api/extended_stateful_set/references.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

namespace sluice::api::extended_stateful_set {
namespace {

// "configmaps/app secrets/token?", of a pod's spec; with a question mark it need not be there.
std::string read_by(const std::string& pod) {
    const auto set = boost::json::parse(R"({"spec":{"template":{"spec":)" + pod + "}}}");
    std::string text;
    for (const Reference& one : references_in(set, "shop")) {
        EXPECT_EQ(one.ref.ns, "shop");
        text += fmt::format("{}{}/{}{}", text.empty() ? "" : " ", one.ref.resource->plural,
                            one.ref.name, one.is_optional ? "?" : "");
    }
    return text;
}

struct Kind {
    const char* pod;
    const char* read;
};

constexpr Kind kinds[] = {
    {R"({"containers":[{"env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"a","key":"k"}}}]}]})",
     "configmaps/a"},
    {R"({"containers":[{"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"a","key":"k"}}}]}]})",
     "secrets/a"},
    {R"({"containers":[{"envFrom":[{"configMapRef":{"name":"a"}},{"secretRef":{"name":"b"}}]}]})",
     "configmaps/a secrets/b"},
    {R"({"initContainers":[{"envFrom":[{"configMapRef":{"name":"a"}}]}]})", "configmaps/a"},
    {R"({"ephemeralContainers":[{"envFrom":[{"secretRef":{"name":"a"}}]}]})", "secrets/a"},
    {R"({"volumes":[{"name":"v","configMap":{"name":"a"}}]})", "configmaps/a"},
    {R"({"volumes":[{"name":"v","secret":{"secretName":"a"}}]})", "secrets/a"},
    {R"({"volumes":[{"name":"v","projected":{"sources":[{"configMap":{"name":"a"}},)"
     R"({"secret":{"name":"b","optional":true}},{"serviceAccountToken":{"path":"t"}}]}}]})",
     "configmaps/a secrets/b?"},
    {R"({"imagePullSecrets":[{"name":"a"}]})", ""},
    {R"({"containers":[{"env":[{"name":"A","value":"b"},{"name":"B"}]}]})", ""},
    {R"({"containers":[{"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"x"}}}]}]})", ""},
};

TEST(References, AreWhatContainersAndVolumesName) {
    for (const auto& [pod, read] : kinds)
        EXPECT_EQ(read_by(pod), read) << pod;
}

TEST(References, AreSortedAndThereOnce) {
    EXPECT_EQ(read_by(R"({"containers":[{"envFrom":[{"secretRef":{"name":"b"}},)"
                      R"({"configMapRef":{"name":"b"}},{"configMapRef":{"name":"a"}},)"
                      R"({"configMapRef":{"name":"b"}}]}]})"),
              "configmaps/a configmaps/b secrets/b");
}

TEST(References, AreOptionalOnlyIfTheyAreSoEverywhere) {
    EXPECT_EQ(read_by(R"({"containers":[{"envFrom":[{"secretRef":{"name":"a","optional":true}},)"
                      R"({"secretRef":{"name":"b","optional":true}}]}],)"
                      R"("volumes":[{"name":"v","secret":{"secretName":"b"}}]})"),
              "secrets/a? secrets/b");
}

TEST(References, OfRubbishAreNone) {
    for (
        const char* pod :
        {"7", "[]", R"({"containers":7})", R"({"containers":[7,{"env":{}},{"env":[7]}]})",
         R"({"volumes":[{"configMap":[]},{"secret":{"secretName":7}},{"projected":{"sources":1}}]})",
         R"({"volumes":[{"configMap":{"name":"../etc"}},{"configMap":{"name":""}}]})"})
        EXPECT_EQ(read_by(pod), "") << pod;
}

TEST(References, OfVeryManyAreOneMoreThanIsAllowed) {
    std::string sources;
    for (std::size_t i = 0; i < 3 * references_max; ++i)
        sources += fmt::format(R"({}{{"configMapRef":{{"name":"c{}"}}}})", i ? "," : "", i);
    const std::string read = read_by(R"({"containers":[{"envFrom":[)" + sources + "]}]}");
    EXPECT_EQ(std::ranges::count(read, ' '), static_cast<std::ptrdiff_t>(references_max));
}

TEST(References, AreFollowedOnlyWhereSomebodyAsksForIt) {
    const auto named = [](const char* wish) {
        model::CustomObject object;
        object.meta.key = {"shop", "x"};
        object.spec =
            fmt::format(R"({{{}"template":{{"spec":{{"template":{{"spec":)"
                        R"({{"containers":[{{"envFrom":[{{"secretRef":{{"name":"a"}}}}]}}]}})"
                        R"(}}}}}}}})",
                        wish);
        return named_by(object).size();
    };
    EXPECT_EQ(named(""), 0u);
    EXPECT_EQ(named(R"("updateOnEnvChange":false,)"), 0u);
    EXPECT_EQ(named(R"("updateOnEnvChange":"true",)"), 0u);
    EXPECT_EQ(named(R"("updateOnEnvChange":true,)"), 1u);
    EXPECT_EQ(named(R"("updateOnConfigChange":true,)"), 1u);
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
