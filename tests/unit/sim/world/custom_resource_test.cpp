// The custom resource that Sluice serves, in a world as it starts: its definition is there, and the
// API server does with its objects what the definition says.
#include <gtest/gtest.h>

#include "api/metrics/prometheus.hpp"
#include "deploy/embedded.hpp"
#include "sim/api/yaml.hpp"
#include "sim/world/world.hpp"

namespace sluice::sim {
namespace {

const std::string id = "phasedrollouts.sts.plus";
const std::string collection = "/apis/sts.plus/v1alpha1/namespaces/shop/phasedrollouts";

// As in the document that the API comes from.
const std::string example = R"(
apiVersion: sts.plus/v1alpha1
kind: PhasedRollout
metadata:
  name: sample
  namespace: shop
spec:
  targetRef: web   #the name of the statefulset to manage
  skipCheck: false #if true, the normal rolling update will be resumed
  check:
    initialDelaySeconds: 30 #initial delay to wait after a pod is rolled
    periodSeconds: 30       #
    maxTries: 10
    successThreshold: 3
    query:
      expr: "up{}"           # prometheus query
      url: prom:9000/xx      # url of the prometheus endpoint
      secretRef: prom-secret # optional secret to authenticate to prometheus
)";

class CustomResourceTest : public ::testing::Test {
  protected:
    Response create(const std::string& yaml) {
        return world.cluster.api().create(parse_document(yaml)->as_object(), admin,
                                          world.cluster.now());
    }
    Response patch(const std::string& path, const std::string& body) {
        Request request;
        request.method = "PATCH";
        request.path = path;
        request.content_type = "application/json-patch+json";
        request.body = body;
        return world.cluster.api().serve(request, world.cluster.now());
    }
    const json::object& sample() const {
        return world.cluster.api().find(id, "shop", "sample")->object();
    }

    World world{{}};
};

TEST_F(CustomResourceTest, IsDefinedWhenAWorldStarts) {
    const Resource* resource = world.cluster.api().resource(id);
    ASSERT_NE(resource, nullptr);
    EXPECT_TRUE(resource->is_custom());
    EXPECT_TRUE(resource->has_status);
    EXPECT_TRUE(resource->namespaced);
    const ObjectPtr definition =
        world.cluster.api().find("customresourcedefinitions.apiextensions.k8s.io", {}, id);
    ASSERT_NE(definition, nullptr);
    const auto text = std::string{deploy::embedded_manifest("crds/phasedrollouts.sts.plus.yaml")};
    EXPECT_EQ(text_at(definition->object(), "/spec/names/kind"),
              text_at(parse_document(text)->as_object(), "/spec/names/kind"));
}

TEST_F(CustomResourceTest, TheDocumentsExampleIsAcceptedAsItIs) {
    const Response made = create(example);
    ASSERT_EQ(made.status, 201) << json::serialize(made.body);
    EXPECT_EQ(number_at(sample(), "/spec/check/initialDelaySeconds"), 30);
    EXPECT_EQ(text_at(sample(), "/spec/check/query/url"), "prom:9000/xx");
    EXPECT_EQ(number_at(sample(), "/metadata/generation"), 1);
}

TEST_F(CustomResourceTest, WhatIsLeftOutIsFilledInAndWhatNobodyKnowsIsDropped) {
    ASSERT_EQ(create(R"(
apiVersion: sts.plus/v1alpha1
kind: PhasedRollout
metadata: {name: sample, namespace: shop}
spec:
  targetRef: web
  colour: red
  check:
    query: {expr: up, url: prom, shade: dark}
status: {phase: Invented}
)")
                  .status,
              201);
    EXPECT_EQ(number_at(sample(), "/spec/check/initialDelaySeconds"), 60);
    EXPECT_EQ(number_at(sample(), "/spec/check/successThreshold"), 3);
    EXPECT_FALSE(has(sample(), "/spec/check/query/successOn")) << "the operator says what it means";
    EXPECT_EQ(text_at(sample(), "/spec/onFailure"), "Hold");
    EXPECT_FALSE(has(sample(), "/spec/skipCheck"));
    EXPECT_FALSE(has(sample(), "/spec/colour"));
    EXPECT_FALSE(has(sample(), "/spec/check/query/shade"));
    EXPECT_FALSE(has(sample(), "/status")) << "only the operator says that";
}

TEST_F(CustomResourceTest, WhatIsBeyondABoundIsRefusedWithTheField) {
    const std::string bad = R"(
apiVersion: sts.plus/v1alpha1
kind: PhasedRollout
metadata: {name: sample, namespace: shop}
spec: {targetRef: web, check: {successThreshold: 0, query: {expr: up, url: prom}}}
)";
    const Response made = create(bad);
    EXPECT_EQ(made.status, 422);
    EXPECT_NE(json::serialize(made.body).find("spec.check.successThreshold"), std::string::npos);
}

TEST_F(CustomResourceTest, APatchOfTheStatusChangesTheStatusAndNothingElse) {
    ASSERT_EQ(create(example).status, 201);
    const Response patched =
        patch(collection + "/sample/status",
              R"([{"op":"add","path":"/status","value":{"phase":"Rolling","reason":"Why"}},)"
              R"({"op":"add","path":"/spec/targetRef","value":"other"}])");
    ASSERT_EQ(patched.status, 200) << json::serialize(patched.body);
    EXPECT_EQ(text_at(sample(), "/status/phase"), "Rolling");
    EXPECT_EQ(text_at(sample(), "/spec/targetRef"), "web");
    EXPECT_EQ(number_at(sample(), "/metadata/generation"), 1);
    EXPECT_EQ(patch(collection + "/sample/status",
                    R"([{"op":"test","path":"/status/phase","value":"Updated"}])")
                  .status,
              422);
}

TEST_F(CustomResourceTest, AFinalizerKeepsADeletedObjectUntilItIsTakenAway) {
    ASSERT_EQ(create(example).status, 201);
    ASSERT_EQ(patch(collection + "/sample", R"([{"op":"add","path":"/metadata/finalizers",)"
                                            R"("value":["sts.plus/finalizer"]}])")
                  .status,
              200);
    world.cluster.api().remove(id, "shop", "sample", admin, world.cluster.now());
    ASSERT_TRUE(has(sample(), "/metadata/deletionTimestamp"));
    ASSERT_EQ(
        patch(collection + "/sample", R"([{"op":"remove","path":"/metadata/finalizers"}])").status,
        200);
    EXPECT_EQ(world.cluster.api().find(id, "shop", "sample"), nullptr);
}

engine::MetricQuery query(const std::string& expr) {
    return {.expr = expr, .url = "prom:9090"};
}

engine::MetricAnswer ask(World& world, const engine::MetricQuery& asked, const std::string& ns) {
    const auto question = engine::question_of(asked);
    const auto inquiry = api::metrics::inquire(*question, {ns, world.egress.metric_hosts});
    const Played played = world.egress.play(*question, inquiry.value(), world.cluster.now());
    return *engine::opened<engine::MetricAnswer>(*played.said);
}

TEST_F(CustomResourceTest, PrometheusIsAskedOverTheWireOfTheWorld) {
    using Kind = engine::MetricAnswer::Kind;
    Egress& egress = world.egress;
    egress.prometheus.set("errors", {}, 7);
    EXPECT_EQ(ask(world, query("errors > 0"), "shop").kind, Kind::Data);
    EXPECT_EQ(ask(world, query("errors > 9"), "shop").kind, Kind::NoData);
    egress.prometheus.mood = Prometheus::Mood::Down;
    EXPECT_EQ(ask(world, query("errors > 9"), "shop").kind, Kind::Unknown);
    ASSERT_EQ(egress.metric_calls().size(), 3u);
    EXPECT_EQ(egress.metric_calls()[1].query.expr, "errors > 9");
    EXPECT_EQ(egress.metric_calls()[1].reading.kind, Kind::NoData);
}

TEST_F(CustomResourceTest, PrometheusGetsTheTokenOfASecretOfTheNamespace) {
    using Kind = engine::MetricAnswer::Kind;
    Egress& egress = world.egress;
    egress.prometheus.token = "let-me-in";
    ASSERT_EQ(create(R"(
apiVersion: v1
kind: Secret
metadata:
  {name: login, namespace: shop, annotations: {sluice.dev/allowed-hosts: "http://prom"}}
stringData: {token: let-me-in}
)")
                  .status,
              201);
    engine::MetricQuery asked = query("up");
    asked.secret = "login";
    EXPECT_EQ(ask(world, asked, "shop").kind, Kind::NoData);
    EXPECT_EQ(ask(world, asked, "default").kind, Kind::Unknown);
    egress.metric_hosts = api::read_hosts("other").value();
    const auto refused = ask(world, asked, "shop");
    EXPECT_EQ(refused.text, "the host \"prom\" is not one that Sluice may ask");
}

}  // namespace
}  // namespace sluice::sim
