#include "sim/promises/notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"

namespace sluice::sim {

std::optional<RolloutNote> rollout_note(const json::object& set) {
    boost::system::error_code broken;
    const json::value value =
        json::parse(text_at(set, "/metadata/annotations/sluice.dev~1rollout"), broken);
    if (broken || !value.is_object()) return std::nullopt;
    const json::object& note = value.get_object();
    const auto says = [&](const char* key) {
        const json::value* flag = note.if_contains(key);
        return flag && flag->is_bool() && flag->get_bool();
    };
    RolloutNote read{.uid = text_at(note, "/uid"),
                     .id = number_at(note, "/id", -1),
                     .partition = number_at(note, "/partition", -1),
                     .is_open = says("open"),
                     .is_returning = says("returning"),
                     .has_failed = says("failed"),
                     .started = text_at(note, "/started"),
                     .corrected = text_at(note, "/corrected"),
                     .place = number_at(note, "/place", 0),
                     .list = text_at(note, "/list")};
    const bool is_whole = !read.uid.empty() && read.id >= 0 && read.partition >= 0 &&
                          !read.started.empty() && note.contains("open") &&
                          !text_at(note, "/revision").empty();
    return is_whole ? std::optional{std::move(read)} : std::nullopt;
}

std::optional<FenceNote> fence_note(const json::object& set) {
    const std::string text = text_at(set, "/metadata/annotations/sluice.dev~1fence");
    const std::size_t slash = text.rfind('/');
    if (slash == text.npos || slash + 1 == text.size()) return std::nullopt;
    const std::string number = text.substr(slash + 1);
    const bool is_number = std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number || number.size() > 15) return std::nullopt;
    return FenceNote{text.substr(0, slash), std::stoll(number)};
}

// In base64 a text reads differently, depending on where it begins; what is next to it may change
// its first and last letters.
std::vector<std::string> spellings_of(const std::string& secret) {
    std::vector<std::string> spellings{secret};
    for (std::size_t before = 0; before < 3; ++before) {
        const std::string coded = encode_base64(std::string(before, 'x') + secret);
        const std::size_t from = (before * 8 + 5) / 6;
        const std::size_t to = (before + secret.size()) * 8 / 6;
        spellings.push_back(coded.substr(from, to - from));
    }
    std::string in_url;
    for (const char c : secret)
        in_url += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    spellings.push_back(in_url);
    return spellings;
}

}  // namespace sluice::sim
