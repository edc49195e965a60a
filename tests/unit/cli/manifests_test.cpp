#include "cli/manifests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "deploy/embedded.hpp"

namespace sluice::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string print(const ManifestsOptions& options) {
    const Result<std::string> text = manifests(options);
    EXPECT_TRUE(text.has_value()) << text.error().message;
    return text.value_or("");
}

std::string print(std::string component) {
    return print(ManifestsOptions{.components = {std::move(component)}, .namespaces = {}});
}

std::string print(std::string component, std::string kube_version) {
    return print(ManifestsOptions{.components = {std::move(component)},
                                  .kube_version = std::move(kube_version),
                                  .namespaces = {}});
}

// Whether every line is empty or a comment.
bool is_only_comment(const std::string& text) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && !line.starts_with('#')) return false;
    return true;
}

std::size_t occurrences(const std::string& text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

TEST(EmbeddedManifests, AreTheFilesOfDeploy) {
    ASSERT_FALSE(deploy::embedded_manifests().empty());
    for (const deploy::EmbeddedManifest& file : deploy::embedded_manifests()) {
        std::ifstream on_disk{"deploy/" + std::string{file.path}};
        ASSERT_TRUE(on_disk) << file.path;
        std::ostringstream text;
        text << on_disk.rdbuf();
        EXPECT_EQ(text.str(), file.text) << file.path;
    }
}

TEST(Manifests, RbacBringsTheNamespaceFirst) {
    const std::string text = print("rbac");
    EXPECT_LT(text.find("kind: Namespace\n"), text.find("kind: ServiceAccount\n"));
    EXPECT_LT(text.find("kind: ServiceAccount\n"), text.find("kind: ClusterRole\n"));
    EXPECT_THAT(text, HasSubstr("name: sluice-secret-reader"));
    EXPECT_THAT(text, Not(HasSubstr("kind: Deployment")));
}

TEST(Manifests, OptionalFilesAreNotPrinted) {
    const std::string text = print("all");
    EXPECT_THAT(text, Not(HasSubstr("kind: NetworkPolicy")));
    EXPECT_THAT(text, Not(HasSubstr("namespace: shop")));
}

TEST(Manifests, DeploymentRunsTheGivenImage) {
    const std::string text =
        print({.components = {"deployment"}, .image = "team/sluice:1.0", .namespaces = {}});
    EXPECT_EQ(occurrences(text, "image: team/sluice:1.0\n"), 1U);
    EXPECT_THAT(text, Not(HasSubstr("sluice:latest")));
    EXPECT_THAT(text, HasSubstr("kind: FlowSchema"));
}

TEST(Manifests, AllIsEveryComponentInTheOrderToApply) {
    EXPECT_EQ(print("all"),
              print("crds") + print("rbac") + print("policies") + print("deployment"));
}

TEST(Manifests, EveryFileStartsADocument) {
    for (const char* component : {"crds", "rbac", "policies", "deployment"})
        EXPECT_THAT(print(component), StartsWith("---\n")) << component;
}

TEST(Manifests, CustomResourceDefinitionsComeFirst) {
    const std::string text = print("crds");
    EXPECT_THAT(text, HasSubstr("name: phasedrollouts.sts.plus\n"));
    EXPECT_THAT(text, HasSubstr("name: rolloutplugins.argoproj.io\n"));
    EXPECT_EQ(occurrences(text, "\nkind: CustomResourceDefinition\n"),
              occurrences(text, "\nkind: "));
    EXPECT_THAT(print("all"), StartsWith(text));
}

TEST(Manifests, WithoutNamespacesTheOperatorSteersEverywhere) {
    const std::string text = print("all");
    EXPECT_THAT(text, HasSubstr("kind: ClusterRoleBinding\nmetadata:\n  name: sluice-workloads\n"));
    EXPECT_THAT(text,
                HasSubstr("kind: ClusterRoleBinding\nmetadata:\n  name: sluice-phasedrollout\n"));
    EXPECT_THAT(text, Not(HasSubstr("--namespace=")));
    EXPECT_THAT(text, Not(HasSubstr("NAMESPACE")));
}

TEST(Manifests, WithNamespacesTheOperatorHasRightsInThemOnly) {
    const std::string text = print({.components = {}, .namespaces = {"shop", "bank"}});
    for (const std::string role : {"sluice-workloads", "sluice-phasedrollout"}) {
        const std::string bound = "Binding\nmetadata:\n  name: " + role + "\n";
        EXPECT_EQ(occurrences(text, "kind: Role" + bound + "  namespace: shop\n"), 1U);
        EXPECT_EQ(occurrences(text, "kind: Role" + bound + "  namespace: bank\n"), 1U);
        EXPECT_THAT(text, Not(HasSubstr("kind: ClusterRole" + bound)));
    }
    EXPECT_EQ(occurrences(text, "            - operator\n            - --namespace=shop,bank\n"),
              1U);
}

TEST(Manifests, WhatIsNotServedGetsNoRightsAndNoDefinition) {
    const std::string all = print("all");
    EXPECT_THAT(all, HasSubstr("name: sluice-statefulcluster\n"));
    EXPECT_THAT(all, HasSubstr("name: statefulclusters.enge.me\n"));
    const std::string some =
        print({.components = {}, .namespaces = {}, .apis = {"pilot", "phasedrollout"}});
    EXPECT_THAT(some, Not(HasSubstr("name: sluice-statefulcluster\n")));
    EXPECT_THAT(some, Not(HasSubstr("name: statefulclusters.enge.me\n")));
    EXPECT_THAT(some, Not(HasSubstr("persistentvolumeclaims]\n    verbs")));
    EXPECT_THAT(some, Not(HasSubstr("name: sluice-rolloutplugin\n")));
    EXPECT_THAT(some, HasSubstr("name: sluice-phasedrollout\n"));
    EXPECT_THAT(some, HasSubstr("name: phasedrollouts.sts.plus\n"));
    EXPECT_THAT(some, HasSubstr("name: sluice-statefulcluster-limits\n")) << "it takes rights away";
    EXPECT_EQ(occurrences(some, "            - --apis=pilot,phasedrollout\n"), 1U);
    EXPECT_FALSE(manifests({.components = {}, .namespaces = {}, .apis = {"pilots"}}).has_value());
    const std::string versions =
        print({.components = {}, .namespaces = {}, .apis = {"extendedstatefulset"}});
    EXPECT_THAT(versions, HasSubstr("name: analysisruns.argoproj.io\n")) << "it makes some";
    EXPECT_THAT(versions, Not(HasSubstr("name: rolloutplugins")));
}

TEST(Manifests, EachKubernetesGetsThePoliciesThatItKnows) {
    for (const char* version : {"1.36", "v1.36.3", "1.36+", "1.37", "v1.40.0-rc.1", "2.0"})
        EXPECT_THAT(print("policies", version), HasSubstr("kind: MutatingAdmissionPolicy\n"))
            << version;
    for (const char* version : {"1.30", "v1.33.2", "v1.34.1-vendor.2", "1.35+"}) {
        const std::string text = print("policies", version);
        EXPECT_THAT(text, HasSubstr("Detect")) << version;
        EXPECT_THAT(text, Not(HasSubstr("kind: MutatingAdmissionPolicy"))) << version;
        for (const char* name : {"sluice-gate", "sluice-scale-to-zero", "sluice-operator-limits",
                                 "sluice-phasedrollout-limits", "sluice-rolloutplugin-limits"})
            EXPECT_THAT(text, HasSubstr(std::string{"name: "} + name + "\n")) << version;
        EXPECT_THAT(text, Not(HasSubstr("sluice-notice"))) << "nobody writes what it would show";
        EXPECT_THAT(text, Not(HasSubstr("? 1000000 : variables.was"))) << "nobody raises it";
    }
    for (const char* version : {"1.29", "v1.29.9", "1.27+", "0.99"}) {
        const std::string text = print("policies", version);
        EXPECT_TRUE(is_only_comment(text)) << version;
        EXPECT_THAT(text, HasSubstr("Detect")) << version;
        EXPECT_THAT(print("all", version), Not(HasSubstr("AdmissionPolicy\n"))) << version;
    }
}

TEST(Manifests, RefuseWhatIsNoVersion) {
    for (const char* version : {"", "1", "v1", "1.", "1.x", "latest", "1.36x", "-1.36", "1.-36",
                                "1.36 ", "1.99999999999"}) {
        const auto text = manifests({.components = {}, .kube_version = version, .namespaces = {}});
        ASSERT_FALSE(text.has_value()) << version;
        EXPECT_EQ(text.error().kind, ErrorKind::Invalid);
    }
}

TEST(Manifests, RefuseAnImageThatIsNoReference) {
    const auto with = [](const char* image) {
        return manifests({.components = {}, .image = image, .namespaces = {}});
    };
    for (const char* bad :
         {"", "a b", "a\nhostNetwork: true", "a: b", "a#b", "\"a\"", "-a", "a:", "{a}", "@a"})
        EXPECT_FALSE(with(bad).has_value()) << bad;
    for (const char* good :
         {"sluice:1.0", "host:5000/team/sluice_x", "a/b@sha256:0123456789abcdef", "sluice"})
        EXPECT_TRUE(with(good).has_value()) << good;
}

TEST(Manifests, RefuseANamespaceThatIsNoName) {
    for (const char* bad : {"", "Shop", "a b", "a,b", "-a", "a-", "a.b", "a\nkind: Secret"})
        EXPECT_FALSE(manifests({.components = {}, .namespaces = {"shop", bad}}).has_value()) << bad;
    EXPECT_FALSE(manifests({.components = {}, .namespaces = {std::string(64, 'a')}}).has_value());
}

TEST(RunManifests, PrintsEachChosenComponentOnce) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(
        run_manifests({.components = {"policies", "rbac", "rbac"}, .namespaces = {}}, out, err), 0);
    EXPECT_EQ(out.str(), print("rbac") + print("policies"));
    EXPECT_THAT(err.str(), IsEmpty());
}

TEST(RunManifests, PrintsEverythingWithoutAChoice) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_manifests({}, out, err), 0);
    EXPECT_EQ(out.str(), print("all"));
}

TEST(RunManifests, SaysInASentenceWhatIsWrong) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_manifests({.components = {"rbac", "webhooks"}, .namespaces = {}}, out, err), 2);
    EXPECT_THAT(out.str(), IsEmpty());
    EXPECT_EQ(err.str(), "\"webhooks\" is not one of crds, rbac, policies, deployment and all.\n");
}

}  // namespace
}  // namespace sluice::cli
