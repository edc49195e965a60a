#include "api/inquiry/strict_yaml.hpp"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>

namespace sluice::api {
namespace {

constexpr std::size_t document_bytes_max = 64u << 10;

// The parser's own words are about its insides; the place is what helps.
std::string where_broken(const YAML::Exception& broken) {
    if (broken.mark.is_null()) return "is not YAML";
    return "is not YAML: see line " + std::to_string(broken.mark.line + 1) + ", column " +
           std::to_string(broken.mark.column + 1);
}

}  // namespace

void StrictListener::fault(std::string what) const {
    throw FieldError{place(), std::move(what)};
}

// "?" and "!" are what the parser calls a plain and a quoted text.
void StrictListener::refuse_tag(const std::string& tag) const {
    const bool plain = tag.empty() || tag == "?" || tag == "!";
    if (!plain && tag != "tag:yaml.org,2002:str") fault("tags are not allowed");
}

void StrictListener::OnDocumentStart(const YAML::Mark&) {
    if (std::exchange(in_document_, true)) fault("holds more than one YAML document");
}

void StrictListener::OnAlias(const YAML::Mark&, YAML::anchor_t) {
    fault("aliases are not allowed");
}

void StrictListener::OnAnchor(const YAML::Mark&, const std::string&) {
    fault("anchors are not allowed");
}

void StrictListener::OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                              const std::string& value) {
    refuse_tag(tag);
    scalar(&value);
}

void StrictListener::OnSequenceStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                                     YAML::EmitterStyle::value) {
    refuse_tag(tag);
    open_list();
}

void StrictListener::OnMapStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t,
                                YAML::EmitterStyle::value) {
    refuse_tag(tag);
    open_map();
}

std::expected<void, FieldError> read_strictly(const std::string& text, StrictListener& listener) {
    if (text.size() > document_bytes_max)
        return std::unexpected(FieldError{"", "is larger than 64 KiB"});
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(listener)) {
        }
    } catch (const FieldError& error) {
        return std::unexpected(error);
    } catch (const YAML::Exception& broken) {
        return std::unexpected(FieldError{"", where_broken(broken)});
    }
    return {};
}

}  // namespace sluice::api
