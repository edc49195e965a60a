#include <gtest/gtest.h>

#include "tests/unit/api/hooks/hook_talk.hpp"

namespace sluice::api::hooks {
namespace {

HookCatalogue catalogue_of(int hooks) {
    HookCatalogue catalogue;
    for (int i = 0; i < hooks; ++i) {
        catalogue.external.emplace("hook-" + std::to_string(i),
                                   ExternalHook{"http://h.test", 10s, "", ""});
    }
    return catalogue;
}

TEST(Registry, BuiltInAndDeclaredHooksAreFound) {
    const HookCatalogue catalogue = catalogue_of(1);
    EXPECT_TRUE(find_hook(catalogue, "noop"));
    EXPECT_TRUE(find_hook(catalogue, "elasticsearch"));
    EXPECT_TRUE(find_hook(catalogue, "hook-0"));
}

TEST(Registry, AHookSaysWhenItWantsToBeAsked) {
    const HookCatalogue catalogue = read_catalogue({{"eager", "url: http://e\nwhen: running"},
                                                    {"calm", "url: http://c\nwhen: ready"},
                                                    {"usual", "url: http://u"},
                                                    {"broken", "when: running"}});
    EXPECT_EQ(when_of(catalogue, "elasticsearch"), When::Running);
    EXPECT_EQ(when_of(catalogue, "eager"), When::Running);
    for (const char* name : {"noop", "calm", "usual", "broken", "nobody"})
        EXPECT_EQ(when_of(catalogue, name), When::Ready) << name;
}

TEST(Registry, AnUnknownHookIsAnsweredWithTheNamesThatExist) {
    EXPECT_EQ(find_hook(catalogue_of(1), "nop").error().message,
              "there is no hook \"nop\"; the hooks are: elasticsearch, hook-0, noop");
    EXPECT_EQ(find_hook(HookCatalogue{}, "").error().message,
              "there is no hook \"\"; the hooks are: elasticsearch, noop");
    EXPECT_EQ(find_hook(HookCatalogue{}, "").error().kind, ErrorKind::NotFound);
}

TEST(Registry, ALongListOfNamesIsCut) {
    EXPECT_EQ(find_hook(catalogue_of(10), "nop").error().message,
              "there is no hook \"nop\"; the hooks are: elasticsearch, hook-0, hook-1, hook-2, "
              "hook-3, hook-4, hook-5, hook-6, hook-7, hook-8 and 2 more");
}

TEST(Registry, ABrokenHookIsAnsweredWithWhatIsWrong) {
    const HookCatalogue catalogue = read_catalogue({{"backup", "timeout: 5s"}});
    const std::string wrong = "sluice-hooks: data.backup.url: is missing";
    EXPECT_EQ(find_hook(catalogue, "backup").error().message, wrong);
    const Talk talk =
        play(catalogue, transition("backup", std::nullopt, pod("web-0", "10.0.0.1")), {});
    EXPECT_FALSE(talk.verdict.value().allowed);
    EXPECT_EQ(talk.verdict.value().message, wrong);
}

TEST(Registry, AnUnknownHookRefuses) {
    const Talk talk =
        play(HookCatalogue{}, transition("nop", std::nullopt, pod("web-0", "10.0.0.1")), {});
    EXPECT_FALSE(talk.verdict.value().allowed);
    EXPECT_EQ(talk.verdict.value().message,
              "there is no hook \"nop\"; the hooks are: elasticsearch, noop");
}

TEST(Registry, ABuiltInHookCannotBeReplacedByTheConfigMap) {
    const HookCatalogue catalogue = read_catalogue({{"noop", "url: http://evil.test"}});
    EXPECT_EQ(catalogue.external.at("noop").error().message,
              "sluice-hooks: data.noop: the hook of this name is built in and cannot be declared "
              "anew");
    EXPECT_TRUE(find_hook(catalogue, "noop"));
    EXPECT_TRUE(play(catalogue, transition("noop", std::nullopt, std::nullopt), {})
                    .verdict.value()
                    .allowed);
}

TEST(Noop, AllowsEveryTransitionWithoutAsking) {
    const HookPod web = pod("web-0", "");
    for (const Transition& moving :
         {transition("noop", std::nullopt, web), transition("noop", web, web),
          transition("noop", web, std::nullopt)}) {
        const Talk talk = play(HookCatalogue{}, moving, {});
        EXPECT_TRUE(talk.asked.empty());
        EXPECT_TRUE(talk.verdict.value().allowed);
    }
}

}  // namespace
}  // namespace sluice::api::hooks
