#include "operator/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/json.hpp>

#include "net/clock.hpp"

namespace sluice::operators {
namespace {

constexpr std::size_t text_max = 1024;
bool as_json = false;

spdlog::level::level_enum to_spdlog(controller::Log::Level level) {
    constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info,
                                                    spdlog::level::warn, spdlog::level::err};
    return levels[static_cast<std::size_t>(level)];
}

std::string one_line(std::string_view text) {
    std::string line{text.substr(0, text_max)};
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return line;
}

std::string in_small_letters(std::string_view text) {
    std::string small{text};
    std::ranges::transform(small, small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return small;
}

std::string as_json_line(controller::Log::Level level, const std::string& text,
                         const model::Ref& about) {
    constexpr const char* names[] = {"debug", "info", "warning", "error"};
    boost::json::object line{{"time", to_rfc3339_micro(net::wall_time())},
                             {"level", names[static_cast<std::size_t>(level)]},
                             {"message", text}};
    if (!about.name.empty()) {
        line["namespace"] = about.ns;
        line[in_small_letters(about.resource->kind)] = about.name;
    }
    return boost::json::serialize(line);
}

}  // namespace

void open_log(const std::string& format, const std::string& level) {
    as_json = format == "json";
    auto logger = spdlog::stderr_color_mt("sluice");
    logger->set_pattern(as_json ? "%v" : "%Y-%m-%d %H:%M:%S %^%-7l%$ %v");
    logger->set_level(spdlog::level::from_str(level));
    logger->flush_on(spdlog::level::debug);
    spdlog::set_default_logger(std::move(logger));
}

void log_line(controller::Log::Level level, std::string_view text, const model::Ref& about) {
    const spdlog::level::level_enum as = to_spdlog(level);
    if (!spdlog::should_log(as)) return;
    const std::string line = one_line(text);
    if (as_json) return spdlog::log(as, "{}", as_json_line(level, line, about));
    if (about.name.empty()) return spdlog::log(as, "{}", line);
    spdlog::log(as, "{} {}: {}", about.resource->kind, to_text(about), line);
}

}  // namespace sluice::operators
