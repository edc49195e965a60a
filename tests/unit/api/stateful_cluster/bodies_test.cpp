#include "api/stateful_cluster/bodies.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/unit/api/stateful_cluster/cluster.hpp"

namespace sluice::api::stateful_cluster {
namespace {

namespace json = boost::json;

json::value at(const std::string& text, const char* pointer) {
    boost::system::error_code none;
    const json::value whole = json::parse(text);
    const json::value* found = whole.find_pointer(pointer, none);
    return found ? *found : json::value{};
}

const std::string rich_template =
    R"({"metadata":{"labels":{"tier":"gold"},"annotations":{"note":"kept"}},)"
    R"("spec":{"containers":[{"name":"db"}],"volumes":[{"name":"tmp","emptyDir":{}},)"
    R"({"name":"data","emptyDir":{}}]}})";

std::string pod(const std::string& claims_of = "", const std::string& service = "") {
    testing::Known known;
    known.spec.service_name = service;
    Member member{.name = "db-00ff", .revision = "db-1", .claims_of = claims_of};
    return pod_body(known.object, known.spec, member, rich_template);
}

TEST(PodOfAMember, HasWhatTheTemplateSaysAndTheLabelsOfTheSelector) {
    const std::string body = pod();
    EXPECT_EQ(at(body, "/metadata/name"), "db-00ff");
    EXPECT_EQ(at(body, "/metadata/labels/tier"), "gold");
    EXPECT_EQ(at(body, "/metadata/labels/app"), "db");
    EXPECT_EQ(at(body, "/metadata/labels/controller-revision-hash"), "db-1");
    EXPECT_EQ(at(body, "/metadata/labels/sluice.dev~1statefulcluster"), "db");
    EXPECT_EQ(at(body, "/metadata/labels/sluice.dev~1member"), "00ff");
    EXPECT_EQ(at(body, "/metadata/annotations/note"), "kept");
    EXPECT_EQ(at(body, "/metadata/ownerReferences/0/uid"), "uid-db");
    EXPECT_EQ(at(body, "/metadata/ownerReferences/0/controller"), true);
}

TEST(PodOfAMember, HasTheVolumesOfTheTemplateAndTheClaimsInPlaceOfNamesakes) {
    const json::value volumes = at(pod(), "/spec/volumes");
    ASSERT_EQ(volumes.as_array().size(), 2u);
    EXPECT_EQ(volumes.at(0).at("name"), "tmp");
    EXPECT_EQ(volumes.at(1).at("name"), "data");
    EXPECT_EQ(volumes.at(1).at("persistentVolumeClaim").at("claimName"), "db-data-00ff");
    EXPECT_EQ(at(pod("beef"), "/spec/volumes/1/persistentVolumeClaim/claimName"), "db-data-beef");
    EXPECT_EQ(at(pod("beef"), "/metadata/labels/sluice.dev~1claims-of"), "beef");
}

TEST(PodOfAMember, HasANameInDnsWhereThereIsAService) {
    EXPECT_EQ(at(pod(), "/spec/hostname"), "db-00ff");
    EXPECT_TRUE(at(pod(), "/spec/subdomain").is_null());
    EXPECT_EQ(at(pod("", "dbs"), "/spec/subdomain"), "dbs");
}

TEST(ClaimOfAMember, HasLabelsAndAnnotationsOfItsTemplateAndNoOwner) {
    const testing::Known known;
    const ClaimTemplate claim{"data", R"({"labels":{"disk":"fast"},"annotations":{"note":"kept"}})",
                              R"({"accessModes":["ReadWriteOnce"]})"};
    const std::string body = claim_body(known.object, claim, "00ff");
    EXPECT_EQ(at(body, "/metadata/name"), "db-data-00ff");
    EXPECT_EQ(at(body, "/metadata/labels/disk"), "fast");
    EXPECT_EQ(at(body, "/metadata/labels/sluice.dev~1statefulcluster"), "db");
    EXPECT_EQ(at(body, "/metadata/annotations/note"), "kept");
    EXPECT_EQ(at(body, "/spec/accessModes/0"), "ReadWriteOnce");
    EXPECT_TRUE(at(body, "/metadata/ownerReferences").is_null());
}

TEST(RevisionOfACluster, KeepsTheTemplateAsItWasWritten) {
    const testing::Known known;
    const std::string body = revision_body(known.object, "db-1", 4, rich_template);
    EXPECT_EQ(at(body, "/revision"), 4);
    EXPECT_EQ(template_in(json::serialize(at(body, "/data"))), rich_template);
    EXPECT_EQ(template_in(R"({"spec":{}})"), "");
    EXPECT_EQ(template_in("no JSON"), "");
}

}  // namespace
}  // namespace sluice::api::stateful_cluster
