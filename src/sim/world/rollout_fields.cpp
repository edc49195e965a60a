// The values of fields of rollouts, from the words that scenarios and random worlds have for them.
#include <sstream>

#include "sim/world/world.hpp"

namespace sluice::sim {
namespace {

using Kind = RolloutField::Kind;

std::int64_t number(const std::string& text) {
    return std::stoll("0" + text.substr(0, 9));
}

// "errors,limit=2": a template, and the values of its arguments.
json::object analysis_of(const std::string& text, bool is_of_cluster) {
    std::istringstream words{text};
    json::object reference;
    json::array args;
    for (std::string word; std::getline(words, word, ',');) {
        const std::size_t equals = word.find('=');
        if (reference.empty())
            reference["templateName"] = word;
        else if (equals != std::string::npos)
            args.push_back(
                json::object{{"name", word.substr(0, equals)}, {"value", word.substr(equals + 1)}});
    }
    if (is_of_cluster) reference["clusterScope"] = true;
    json::object analysis{{"templates", json::array{std::move(reference)}}};
    if (!args.empty()) analysis["args"] = std::move(args);
    return analysis;
}

json::object step_of(const std::string& word) {
    const std::string kind = word.substr(0, word.find('='));
    const std::string rest = kind == word ? "" : word.substr(kind.size() + 1);
    if (kind == "analysis" || kind == "cluster-analysis")
        return {{"analysis", analysis_of(rest, kind != "analysis")}};
    if (kind != "pause") return {{"setWeight", number(word)}};
    json::object pause;
    if (!rest.empty()) pause["duration"] = rest;
    return {{"pause", std::move(pause)}};
}

// "20 pause 40 pause=5m analysis=errors 100"; "none" are no steps at all.
json::array steps_of(const std::string& text) {
    json::array steps;
    std::istringstream words{text == "none" ? "" : text};
    for (std::string word; words >> word;)
        steps.push_back(step_of(word));
    return steps;
}

}  // namespace

json::value field_value(RolloutField::Kind kind, const std::string& text) {
    switch (kind) {
        case Kind::Number: return number(text);
        case Kind::Time: return parse_duration(text).value_or(0s) / 1s;
        case Kind::Flag: return text == "true";
        case Kind::Filler: return json::string(static_cast<std::size_t>(number(text)), 'x');
        case Kind::Steps: return steps_of(text);
        case Kind::Analysis: return analysis_of(text, false);
        case Kind::ClusterAnalysis: return analysis_of(text, true);
        case Kind::Text: break;
    }
    return json::value(text);
}

json::value changed_value(RolloutField::Kind kind, const std::string& text) {
    if (text == "none" && kind != Kind::Steps) return nullptr;
    return field_value(kind, text);
}

}  // namespace sluice::sim
