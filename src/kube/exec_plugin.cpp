#include "kube/exec_plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kube/sentence.hpp"

namespace sluice::kube {
namespace {

constexpr Duration plugin_deadline = 30s;
constexpr std::size_t stderr_line_max = 200;
constexpr std::size_t install_hint_max = 300;

std::string_view last_line(std::string_view text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == std::string_view::npos) return {};
    text = text.substr(0, end + 1);
    return text.substr(text.find_last_of('\n') + 1);
}

bool sounds_secret(std::string_view variable) {
    constexpr std::array<std::string_view, 4> words{"KEY", "PASSW", "SECRET", "TOKEN"};
    return std::ranges::any_of(words, [&](auto word) { return variable.contains(word); });
}

std::string complaint_of(const ExecPlugin& plugin, const net::ProgramOutput& output) {
    std::string line(last_line(output.err));
    for (const auto& [name, value] : plugin.env) {
        if (sounds_secret(name)) line = without_secret(std::move(line), value.reveal());
    }
    line = printable(without_web_tokens(line), stderr_line_max);
    return line.empty() ? std::string() : ": " + line;
}

std::string hint_of(const ExecPlugin& plugin) {
    const std::string hint = printable(plugin.install_hint, install_hint_max);
    return hint.empty() ? std::string() : "; " + hint;
}

std::string name_of(const ExecPlugin& plugin) {
    return fmt::format("{}: {}", plugin.where, in_quotes(plugin.command));
}

Error failed_run(const ExecPlugin& plugin, const Error& error) {
    const std::string hint = error.kind == ErrorKind::Unreadable ? hint_of(plugin) : "";
    return {error.kind, fmt::format("{}: {}{}", plugin.where, error.message, hint)};
}

}  // namespace

net::Program plugin_program(const ExecPlugin& plugin, const std::string& exec_info) {
    net::Program program{.argv = {plugin.command},
                         .env = {},
                         .input = {},
                         .deadline = plugin_deadline,
                         .output_max = exec_answer_bytes_max};
    program.argv.insert(program.argv.end(), plugin.args.begin(), plugin.args.end());
    for (const auto& [name, value] : plugin.env)
        program.env.push_back({name, value});
    program.env.push_back({"KUBERNETES_EXEC_INFO", Redacted(exec_info)});
    return program;
}

Result<ExecCredential> plugin_credential(const ExecPlugin& plugin,
                                         Result<net::ProgramOutput> output) {
    if (!output) return std::unexpected(failed_run(plugin, output.error()));
    const Redacted answer(std::move(output->out));
    if (output->exit_code != 0)
        return failure(ErrorKind::Unreadable,
                       fmt::format("{} ended with exit code {}{}", name_of(plugin),
                                   output->exit_code, complaint_of(plugin, *output)));
    Result<ExecCredential> credential = parse_exec_credential(answer.reveal(), plugin.version);
    if (!credential)
        return failure(credential.error().kind,
                       fmt::format("{}: its answer {}{}", name_of(plugin),
                                   credential.error().message, complaint_of(plugin, *output)));
    return credential;
}

}  // namespace sluice::kube
