#include "api/extended_stateful_set/owning_references.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "extended.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {
namespace {

namespace json = boost::json;
using engine::Decision;
using engine::Reason;
using testing::Known;
using testing::noon;

const std::string foreign = R"({"apiVersion":"v1","kind":"ConfigMap","name":"root","uid":"uid-r"})";
const std::string space =
    R"({"apiVersion":"v1","kind":"Namespace","name":"shop","uid":"uid-shop","controller":false,)"
    R"("blockOwnerDeletion":false})";

std::string owner(const std::string& name) {
    return R"({"apiVersion":"fissile.cloudfoundry.org/v1alpha1","kind":"ExtendedStatefulSet",)"
           R"("name":")" +
           name + R"(","uid":"uid-)" + name + R"(","controller":false,"blockOwnerDeletion":true})";
}
std::string list(const std::vector<std::string>& entries) {
    std::string text;
    for (const std::string& one : entries)
        text += (text.empty() ? "" : ",") + one;
    return "[" + text + "]";
}

const model::CustomObject x = Known{}.object;

TEST(OwningReferences, StandBesideTheNamespaceAndBehindAllOthers) {
    EXPECT_EQ(with_owner("", x, "uid-shop"), list({owner("x"), space}));
    EXPECT_EQ(with_owner(list({foreign}), x, "uid-shop"), list({foreign, owner("x"), space}));
    EXPECT_EQ(with_owner(list({owner("y"), space}), x, "uid-shop"),
              list({owner("y"), space, owner("x")}));
    EXPECT_EQ(with_owner(list({owner("x")}), x, "uid-shop"), list({owner("x"), space}));
}

TEST(OwningReferences, ThatAreThereAreLeftAlone) {
    EXPECT_EQ(with_owner(list({owner("x"), foreign, space}), x, "uid-shop"), std::nullopt);
    EXPECT_EQ(without_owner("", x), std::nullopt);
    EXPECT_EQ(without_owner(list({foreign, owner("y"), space}), x), std::nullopt);
}

TEST(OwningReferences, ThatCannotBeReadAreLeftAlone) {
    for (const char* text : {"?", "{}", "7", "null"}) {
        EXPECT_EQ(with_owner(text, x, "uid-shop"), std::nullopt) << text;
        EXPECT_EQ(without_owner(text, x), std::nullopt) << text;
    }
}

TEST(OwningReferences, GoWithTheNamespaceUnlessAnotherOneNeedsIt) {
    EXPECT_EQ(without_owner(list({owner("x"), space}), x), "[]");
    EXPECT_EQ(without_owner(list({foreign, owner("x"), space}), x), list({foreign}));
    EXPECT_EQ(without_owner(list({owner("x"), space, owner("y")}), x), list({space, owner("y")}));
    // One that somebody else has put there says less.
    const std::string other = R"({"apiVersion":"v1","kind":"Namespace","name":"shop","uid":"u"})";
    EXPECT_EQ(without_owner(list({owner("x"), other}), x), list({other}));
}

TEST(OwningReferences, AreCalledByKindAndName) {
    const model::Ref ref{&model::secret_contents, "shop", "token.v1"};
    EXPECT_EQ(reference_name(ref), "Secret/token.v1");
    EXPECT_EQ(reference_ref("Secret/token.v1", "shop"), ref);
    for (const char* name : {"", "Secret", "Secret/", "Secret/..", "Pod/a", "ConfigMap/A"})
        EXPECT_EQ(reference_ref(name, "shop"), std::nullopt) << name;
}

// An ExtendedStatefulSet in a world of a few ConfigMaps, whose writes are carried out.
struct Owner : Known {
    std::map<std::string, std::string> maps = {{"app", ""}};  // owners by name
    Spec spec;
    ReferenceBook book;
    std::vector<model::Ref> read;

    Owner() {
        seen.objects = {object};
        name({"app"});
    }
    void name(const std::vector<std::string>& names) {
        spec.references.clear();
        for (const std::string& one : names)
            spec.references.push_back({{&model::config_map_contents, "shop", one}, false});
    }
    engine::Fetched fetched(const model::Ref& ref) const {
        engine::Fetched found{ref, std::nullopt};
        model::CustomObject it;
        it.meta = {{ref.ns, ref.name}, "uid-" + ref.name, 5, 1, false};
        const auto map = maps.find(ref.name);
        if (map != maps.end()) it.status = map->second;
        if (map != maps.end() || ref.resource == &namespaces) found.object = std::move(it);
        return found;
    }
    ReferenceWork look() {
        seen.named.clear();
        seen.fetched.clear();  // what was read before a write is forgotten with it
        for (const Reference& one : spec.references) {
            engine::NamedObject named{one.ref};
            named.is_seen = true;
            if (const auto map = maps.find(one.ref.name); map != maps.end()) {
                named.meta = model::ObjectMeta{{"shop", one.ref.name}, "uid", 5, 1, false};
                named.owners = map->second;
            }
            seen.named.push_back(named);
        }
        book = with_names(book, seen, spec);
        ReferenceWork work = reference_work(seen, spec, book, now);
        read = work.rests_on;
        for (const model::Ref& ref : work.rests_on)
            seen.fetched.push_back(fetched(ref));
        return work.rests_on.empty() ? work : reference_work(seen, spec, book, now);
    }
    void apply(const std::vector<engine::Action>& actions) {
        for (const engine::Action& action : actions) {
            const json::value patch = json::parse(action.body);
            const json::value& last = patch.as_array().back();
            const json::value* value = last.as_object().if_contains("value");
            if (action.object.ref.resource == &resource) {
                seen.objects.front().finalizers.clear();
                for (const json::value& one : value->as_array())
                    seen.objects.front().finalizers.emplace_back(one.as_string());
            } else {
                maps[action.object.ref.name] = value ? json::serialize(*value) : "";
            }
        }
    }
    // What is written, object by object, until nothing more is.
    std::string written() {
        std::string text;
        for (int i = 0; i < 10; ++i) {
            ReferenceWork work = look();
            if (work.actions.empty() && work.book == book) return text;
            if (work.book != book)
                text += " status";
            else
                for (const engine::Action& action : work.actions)
                    text += " " + action.object.ref.name;
            if (work.book == book) apply(work.actions);
            book = work.book;
        }
        return text + " for ever";
    }
    bool is_kept() const { return has_finalizer(seen.objects.front(), finalizer); }
};

TEST(OwningReferences, AreWrittenBehindTheFinalizerAndOnceOnly) {
    Owner one;
    EXPECT_EQ(one.written(), " x app status");
    EXPECT_EQ(one.maps["app"], list({owner("x"), space}));
    EXPECT_TRUE(one.is_kept());
    EXPECT_EQ(one.book.names, std::vector<std::string>{"ConfigMap/app"});
    EXPECT_EQ(one.written(), "");
    EXPECT_TRUE(one.read.empty());
}

TEST(OwningReferences, OfWhatIsNotThereAreWrittenWhenItIs) {
    Owner one;
    one.maps.clear();
    EXPECT_EQ(one.written(), " x status");
    one.maps["app"] = "";
    EXPECT_EQ(one.written(), " app status");
}

TEST(OwningReferences, LeaveWhatTheTemplateNamesNoMore) {
    Owner one;
    one.maps["other"] = list({foreign});
    one.written();
    one.name({"other"});
    EXPECT_EQ(one.written(), " app status other status");
    EXPECT_EQ(one.maps["app"], "");
    EXPECT_EQ(one.maps["other"], list({foreign, owner("x"), space}));
    EXPECT_EQ(one.book.names, std::vector<std::string>{"ConfigMap/other"});
}

TEST(OwningReferences, AllGoWithTheWishForThemAndThenTheFinalizer) {
    Owner one;
    one.written();
    one.name({});
    EXPECT_EQ(one.written(), " app status x");
    EXPECT_FALSE(one.is_kept());
}

TEST(OwningReferences, AllGoWhereTheOperatorIsToldSo) {
    Owner one;
    one.written();
    one.seen.environment.marks_no_owners = true;
    EXPECT_EQ(one.written(), " app status x");
    EXPECT_EQ(one.maps["app"], "");
}

TEST(OwningReferences, ThatAreRefusedAreToldAndTriedAgainLater) {
    Owner one;
    one.apply(one.look().actions);
    one.seen.attempt = engine::Attempt{engine::Action::Verb::Patch,
                                       {&model::config_map_contents, "shop", "app"},
                                       std::nullopt,
                                       engine::Refusal{403, "not yours"}};
    const ReferenceWork work = one.look();
    EXPECT_NE(work.book.refusal.find("ConfigMap app cannot be changed: not yours"),
              std::string::npos);
    EXPECT_TRUE(work.actions.empty());
    one.book = work.book;
    one.seen.attempt.reset();
    EXPECT_EQ(one.written(), "");
    one.now = one.now + 5min;
    EXPECT_EQ(one.written(), " app status");
    EXPECT_EQ(one.book.refusal, "");
}

TEST(OwningReferences, ThatCameTooLateAreNotRefused) {
    Owner one;
    one.apply(one.look().actions);
    one.seen.attempt = engine::Attempt{engine::Action::Verb::Patch,
                                       {&model::config_map_contents, "shop", "app"},
                                       std::nullopt,
                                       engine::Refusal{422, "the test failed"}};
    EXPECT_EQ(one.written(), " app status");
}

TEST(OwningReferences, AreWrittenAsTheyWereRead) {
    Owner one;
    one.apply(one.look().actions);
    const json::value patch = json::parse(one.look().actions.at(0).body);
    EXPECT_EQ(model::text_at(patch, "/0/path"), "/metadata/uid");
    EXPECT_EQ(model::text_at(patch, "/1/op"), "test");
    EXPECT_EQ(model::text_at(patch, "/1/path"), "/metadata/resourceVersion");
    EXPECT_EQ(model::text_at(patch, "/1/value"), "5");
}

// One that is being deleted, after its references were written.
struct Parting : Owner {
    Parting() {
        written();
        object.finalizers = seen.objects.front().finalizers;
        object.meta.deleting = true;
        Status status;
        status.references = book;
        object.status = write_status(status);
        seen.fetched.clear();
    }
    Decision parted() {
        seen.fetched.clear();
        Decision decision = decided();
        for (const model::Ref& ref : decision.rests_on)
            seen.fetched.push_back(fetched(ref));
        return decision.rests_on.empty() ? decision : decided();
    }
};

TEST(OwningReferences, GoBeforeTheFinalizerDoes) {
    Parting one;
    EXPECT_FALSE(one.decided().rests_on.empty());
    const Decision first = one.parted();
    ASSERT_EQ(first.actions.size(), 1u);
    EXPECT_EQ(first.actions[0].object.ref.name, "app");
    one.apply(first.actions);
    EXPECT_EQ(one.maps["app"], "");
    const Decision second = one.parted();
    ASSERT_EQ(second.actions.size(), 1u);
    EXPECT_EQ(second.actions[0].object.ref.name, "x");
}

TEST(OwningReferences, OfWhatIsGoneHoldNobody) {
    Parting one;
    one.maps.clear();
    const Decision decision = one.parted();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x");
}

TEST(OwningReferences, ThatCannotBeTakenAwayHoldTheFinalizerAndSaySo) {
    Parting one;
    one.seen.attempt = engine::Attempt{engine::Action::Verb::Patch,
                                       {&model::config_map_contents, "shop", "app"},
                                       std::nullopt,
                                       engine::Refusal{403, "not yours"}};
    const Decision decision = one.decided();
    EXPECT_EQ(decision.report.reason, Reason::ReferencesRefused);
    EXPECT_NE(decision.report.unblock.find("create rolebinding sluice-config"), std::string::npos);
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_TRUE(decision.actions[0].of_status);
    EXPECT_TRUE(decision.wake_at.has_value());
}

TEST(OwningReferences, ThatNobodyMayReadAreLeftToTheGarbageCollector) {
    Parting one;
    for (const model::Ref& ref : one.decided().rests_on)
        one.seen.fetched.push_back({ref, std::nullopt, engine::Refusal{403, "not yours"}});
    const Decision decision = one.decided();
    ASSERT_EQ(decision.actions.size(), 1u);
    EXPECT_EQ(decision.actions[0].object.ref.name, "x");
}

TEST(OwningReferences, ThatCannotBeReadJustNowAreReadAgain) {
    Parting one;
    for (const model::Ref& ref : one.decided().rests_on)
        one.seen.fetched.push_back({ref, std::nullopt, engine::Refusal{500, "later"}});
    const Decision decision = one.decided();
    EXPECT_TRUE(decision.actions.empty());
    EXPECT_TRUE(decision.wake_at.has_value());
}

}  // namespace
}  // namespace sluice::api::extended_stateful_set
