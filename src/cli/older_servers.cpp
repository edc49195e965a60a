#include "cli/older_servers.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "base/assert.hpp"
#include "deploy/embedded.hpp"

namespace sluice::cli {
namespace {

using deploy::embedded_manifests;
using deploy::EmbeddedManifest;

// The first with ValidatingAdmissionPolicy, and the first with MutatingAdmissionPolicy, on by
// default. Without the latter nothing can hold the partition in the same write as a change of the
// template.
constexpr KubeVersion first_that_validates{1, 30};
constexpr KubeVersion first_that_mutates{1, 36};

std::string to_text(const KubeVersion& version) {
    return fmt::format("{}.{}", version.major, version.minor);
}

// What gate-mutating.yaml does, gate-validating.yaml takes for granted: that a new template raises
// the partition. Where nobody does that, the partition must not be lowered, and that is all.
constexpr std::string_view raised_by_mutation =
    "        object.spec.template != oldObject.spec.template && variables.was < 1000000\n"
    "        ? 1000000 : variables.was\n";
constexpr std::string_view blames_mutation =
    "        ' after this write. An admission webhook has lowered it, or the policy sluice-gate of "
    "kind'\n"
    "        + ' MutatingAdmissionPolicy is not in force.'\n";
constexpr std::string_view blames_writer =
    "        ' after this write. Leave the partition out of what you apply, or keep it.'\n";

std::string without_mutation(const EmbeddedManifest& file) {
    std::string text = "---\n" + std::string{file.text};
    if (file.path != "policies/gate-validating.yaml") return text;
    text = with_line(text, raised_by_mutation, "        variables.was\n");
    return with_line(text, blames_mutation, blames_writer);
}

// What this version of Kubernetes can make use of.
std::string policies_for(const KubeVersion& version) {
    std::string result = fmt::format(
        "# Kubernetes {} has no MutatingAdmissionPolicy; {} has. Others can lower the partition "
        "of\n"
        "# a steered StatefulSet together with a change of its template; the operator then "
        "notices\n"
        "# and freezes the rollout (guarantee: Detect instead of Prevent).\n",
        to_text(version), to_text(first_that_mutates));
    if (version < first_that_validates) return result;
    for (const EmbeddedManifest& file : embedded_manifests()) {
        const bool is_policy = file.path.starts_with("policies/");
        const bool mutates = file.text.contains("\nkind: MutatingAdmissionPolicy\n");
        const bool is_about_mutation = file.path == "policies/notice.yaml";
        if (is_policy && !mutates && !is_about_mutation) result += without_mutation(file);
    }
    return result;
}

// Before this version the server takes a field that is a number or a text to be as large as a whole
// request, whatever its maxLength, and refuses every rule that reads it as a text.
constexpr KubeVersion first_that_bounds_texts = first_that_mutates;

std::string definitions_for(const KubeVersion& version) {
    std::string result = fmt::format(
        "# Kubernetes {} cannot bound what it costs to look at fields that are a number or a "
        "text;\n"
        "# {} can. What is wrong in them is said by the operator, in the status of the object.\n",
        to_text(version), to_text(first_that_bounds_texts));
    for (const EmbeddedManifest& file : embedded_manifests())
        if (file.path.starts_with("crds/"))
            result += "---\n" + without_rules_with("string(self", file.text);
    return result;
}

std::size_t indent_of(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

bool is_rule(std::string_view line) {
    return line.substr(indent_of(line)).starts_with("- rule:");
}

}  // namespace

// The files are ours: a line that is not there is our mistake.
std::string with_line(std::string_view text, std::string_view line, std::string_view instead) {
    std::string result{text};
    const std::size_t at = result.find(line);
    SLUICE_ASSERT(at != std::string::npos);
    return result.replace(at, line.size(), instead);
}

std::string without_rules_with(std::string_view word, std::string_view definitions) {
    std::istringstream lines{std::string{definitions}};
    std::vector<std::string> blocks;  // a rule with all of its lines, or another line
    std::size_t rule_indent = std::string::npos;
    for (std::string line; std::getline(lines, line);) {
        const bool continues = rule_indent != std::string::npos && indent_of(line) > rule_indent;
        if (is_rule(line)) rule_indent = indent_of(line);
        if (!continues && !is_rule(line)) rule_indent = std::string::npos;
        if (continues && !is_rule(line))
            blocks.back() += line + "\n";
        else
            blocks.push_back(line + "\n");
    }
    std::erase_if(blocks,
                  [&](const std::string& one) { return is_rule(one) && one.contains(word); });
    std::string result;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const bool is_empty_list = blocks[i].contains("x-kubernetes-validations:") &&
                                   (i + 1 == blocks.size() || !is_rule(blocks[i + 1]));
        if (!is_empty_list) result += blocks[i];
    }
    return result;
}

std::optional<std::string> text_for_older(std::string_view component, const KubeVersion& version) {
    if (component == "policies" && version < first_that_mutates) return policies_for(version);
    if (component == "crds" && version < first_that_bounds_texts) return definitions_for(version);
    return std::nullopt;
}

}  // namespace sluice::cli
