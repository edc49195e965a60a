#include "cli/demo.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <thread>

#include "cli/terminal.hpp"
#include "sim/demo/chronicle.hpp"
#include "sim/demo/screen.hpp"
#include "sim/demo/stage.hpp"

namespace sluice::cli {
namespace {

using namespace sim::demo;

constexpr auto frame_time = 100ms;
constexpr int exit_stopped = 128 + SIGINT;

volatile std::sig_atomic_t stopped = 0;

void on_signal(int) {
    stopped = 1;
}

void listen_to_signals() {
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;  // a frame that is being written is written to its end
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaction(signal, &action, nullptr);
}

bool can_draw() {
    const std::string kind = environment("TERM");
    if (!isatty(STDOUT_FILENO) || kind.empty() || kind == "dumb") return false;
    const terminal::Style style = style_of_terminal();
    return style.columns >= columns_least && style.rows >= rows_least;
}

// A terminal that is drawn on in place, and left as it was found.
class Canvas {
  public:
    Canvas() { std::cout << "\x1b[?25l" << std::flush; }
    ~Canvas() { std::cout << "\r\x1b[K\x1b[0m\x1b[?25h" << std::flush; }
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;

    void show(const Scene& scene) {
        const terminal::Style style = style_of_terminal();
        const std::vector<std::string> lines = draw(scene, style);
        if (lines == shown_) return;
        std::string text = "\r";
        if (style.columns != columns_ || style.rows != rows_)
            text = shown_.empty() ? "" : "\x1b[2J\x1b[H";
        else if (shown_.size() > 1)
            text += fmt::format("\x1b[{}A", shown_.size() - 1);
        for (std::size_t i = 0; i < lines.size(); ++i)
            text += (i ? "\n" : "") + lines[i] + "\x1b[K";
        std::cout << text << "\x1b[J" << std::flush;
        shown_ = lines;
        columns_ = style.columns;
        rows_ = style.rows;
    }
    // The picture stays; what is written next stands below it.
    void leave() const {
        // Once more, for a terminal writes ^C where it was typed.
        if (!shown_.empty()) std::cout << "\r" << shown_.back() << "\x1b[K\n";
    }

  private:
    std::vector<std::string> shown_;
    int columns_ = 0;
    int rows_ = 0;
};

// Beats that are due are played; `each` sees every one of them. Time on the wall goes on while we
// draw.
template <class Each, class Frame>
void play(Stage& stage, double speed, Each each, Frame frame) {
    const auto began = std::chrono::steady_clock::now();
    const auto is_due = [&](Duration simulated) {
        const auto passed = std::chrono::steady_clock::now() - began;
        return std::chrono::duration<double, std::milli>(passed).count() * speed >=
               static_cast<double>(simulated.count());
    };
    Duration played{0};
    while (!stopped && !stage.is_over()) {
        frame();
        while (!stopped && !stage.is_over() && is_due(played + Stage::beat)) {
            const Scene before = stage.scene();
            each(before, stage.next());
            played += Stage::beat;
        }
        if (!stage.is_over()) std::this_thread::sleep_for(frame_time);
    }
}

void print(const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
        std::cout << line << "\n";
    std::cout << std::flush;
}

// The commands as this person has to type them.
Summary typed(Summary summary, const std::string& program) {
    for (Hint& hint : summary.try_next)
        if (hint.command.starts_with("sluice ")) hint.command.replace(0, 6, program);
    return summary;
}

void play_plainly(Stage& stage, const DemoOptions& options) {
    print(opening(stage.scene()));
    play(
        stage, options.speed,
        [](const Scene& before, const Scene& now) { print(news(before, now)); }, [] {});
    if (const auto& summary = stage.scene().summary)
        print(ending(typed(*summary, options.program)));
}

void play_live(Stage& stage, const DemoOptions& options) {
    Canvas canvas;
    const auto show = [&] {
        Scene scene = stage.scene();
        scene.speed = options.speed;
        if (scene.summary) scene.summary = typed(std::move(*scene.summary), options.program);
        canvas.show(scene);
    };
    play(stage, options.speed, [](const Scene&, const Scene&) {}, show);
    show();
    canvas.leave();
}

}  // namespace

int run_demo(const DemoOptions& options) {
    const Story* story = find_story(options.api, options.fail);
    if (!story) {
        std::cerr << fmt::format("There is no story about the API {} yet.\n", options.api);
        return 2;
    }
    stopped = 0;
    listen_to_signals();
    Stage stage{*story, options.seed};
    if (options.plain || !can_draw())
        play_plainly(stage, options);
    else
        play_live(stage, options);
    if (!stage.is_over()) {
        std::cout << "Stopped.\n";
        return exit_stopped;
    }
    return stage.ended_well() ? 0 : 1;
}

}  // namespace sluice::cli
