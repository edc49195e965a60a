// What objects name is looked at in their namespace, and whoever names it is shown what is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/sessions.hpp"
#include "tests/unit/controller/scene.hpp"

namespace sluice::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The spec of these runs is nothing but the name of a Secret.
std::vector<model::Ref> secret_in_spec(const model::CustomObject& run) {
    if (run.spec.empty()) return {};
    return {{&model::secret_contents, run.meta.key.ns, run.spec}};
}

constexpr api::Watch watches[] = {
    {&runs, model::Itself{}},
    {&model::config_map_contents, model::Users{&runs, secret_in_spec}},
    {&model::secret_contents, model::Users{&runs, secret_in_spec}}};
const api::Api apis[] = {
    {.name = "run", .resource = &runs, .watches = watches, .decide = decide_run}};

constexpr SessionId of_secrets = 1;  // behind the runs, and begun by whoever names the first one
const runtime::RequestFailure forbidden{403, {}, "cannot list: forbidden"};

struct Naming : Scene {
    explicit Naming(Trouble trouble = {}) : Scene({}, apis, std::move(trouble)) {}

    void show_run(const std::string& secret, const std::string& ns = "shop") {
        auto run = object("one", secret, "uid-in-" + ns);
        run.meta.key.ns = ns;
        desk.put(runs, run);
        desk.pass(1ms);  // whatever is to be watched from now on is begun
    }
    void show_secret(const std::string& name, const std::string& owners) {
        auto secret = object(name);
        secret.status = owners;
        desk.put(model::secret_contents, secret);
    }
    const std::vector<engine::NamedObject>& named() const { return looks.back().named; }
};

TEST(Named, IsLookedAtOnceSomebodyNamesItAndNothingElseIs) {
    Naming scene{{{&model::secret_contents, forbidden}, {&model::config_map_contents, forbidden}}};
    scene.show_run("");
    EXPECT_THAT(scene.named(), IsEmpty());
    EXPECT_THAT(scene.desk.controller.unseen(), IsEmpty());
    scene.show_run("token");
    EXPECT_THAT(scene.named(), SizeIs(1));
    EXPECT_THAT(scene.desk.controller.unseen(),
                ElementsAre("namespace shop: cannot list: forbidden"));
}

TEST(Named, IsShownWithItsVersionAndItsOwners) {
    Naming scene;
    scene.show_run("token");
    scene.show_secret("token", R"([{"name":"one"}])");
    scene.show_secret("other", "");
    ASSERT_THAT(scene.named(), SizeIs(1));
    EXPECT_EQ(scene.named()[0].ref, (model::Ref{&model::secret_contents, "shop", "token"}));
    EXPECT_TRUE(scene.named()[0].is_seen);
    EXPECT_EQ(scene.named()[0].meta.value().key.name, "token");
    EXPECT_EQ(scene.named()[0].owners, R"([{"name":"one"}])");
    EXPECT_EQ(scene.named()[0].problem, "");
}

TEST(Named, ThatIsNotThereHasNoVersion) {
    Naming scene;
    scene.show_run("token");
    EXPECT_TRUE(scene.named().at(0).is_seen);
    EXPECT_EQ(scene.named().at(0).meta, std::nullopt);
}

TEST(Named, IsNoProblemAsLongAsNobodyKnowsWhetherItCanBeSeen) {
    Naming scene{{{&model::secret_contents, std::nullopt}}};
    scene.show_run("token");
    EXPECT_FALSE(scene.named().at(0).is_seen);
    EXPECT_EQ(scene.named().at(0).problem, "");
    scene.desk.take(SessionFailed{of_secrets, {500, {}, "trouble"}});
    scene.show_run("token");
    EXPECT_EQ(scene.named().at(0).problem, "") << "once is a bad moment";
    scene.desk.pass(1s);
    scene.desk.take(EventsArrived{of_secrets, {model::Bookmark{"20", true}}});
    EXPECT_TRUE(scene.named().at(0).is_seen);
}

TEST(Named, ThatMayNotBeReadIsShownWithTheReason) {
    Naming scene{{{&model::secret_contents, forbidden}}};
    scene.show_run("token");
    EXPECT_FALSE(scene.named().at(0).is_seen);
    EXPECT_EQ(scene.named().at(0).problem, "cannot list: forbidden");
}

TEST(Named, IsLookedAtInNoMoreNamespacesThanAServerBears) {
    Naming scene;
    const auto show_in = [&](std::size_t number) {
        scene.show_run("token", "shop-" + std::to_string(number));
    };
    for (std::size_t i = 1; i <= named_sessions_max; ++i)
        show_in(i);
    EXPECT_TRUE(scene.named().at(0).is_seen);
    EXPECT_EQ(scene.named().at(0).problem, "");
    show_in(named_sessions_max + 1);
    EXPECT_FALSE(scene.named().at(0).is_seen);
    EXPECT_THAT(scene.named().at(0).problem, HasSubstr("too many namespaces"));
    show_in(1);
    EXPECT_EQ(scene.named().at(0).problem, "") << "where it began it goes on";
}

}  // namespace
}  // namespace sluice::controller
