// Credentials that come from files and perhaps from an exec plugin. The files are looked at once a
// second at most, and read anew when one of them looks different or after refused(). A reading
// that fails keeps the last good one, for files are seen half-written while they are rotated;
// after a 401 the failure is told instead. The server may not change: whoever watches one cluster
// must not find itself writing to another.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/credentials.hpp"
#include "kube/exec_plugin.hpp"
#include "kube/file_reader.hpp"
#include "kube/material.hpp"

namespace sluice::kube {

class SourcedCredentials final : public Credentials,
                                 public std::enable_shared_from_this<SourcedCredentials> {
  public:
    using WallClock = std::function<Instant()>;  // what expiry times are compared with

    static Result<std::shared_ptr<Credentials>> open(boost::asio::io_context& loop, Gather gather,
                                                     WallClock clock);
    SourcedCredentials(boost::asio::io_context& loop, Gather gather, WallClock clock,
                       Material material, FileReader files);

    void access(Got got) override;
    void refused() override;
    std::string default_namespace() const override;

  private:
    bool is_look_due(Instant now) const;
    bool has_fresh_credential(Instant now) const;
    void look(Instant now);
    Result<Material> gather_anew(FileReader& files, Instant now);
    void adopt(Material material, FileReader files);
    void renew_access();
    void run(const ExecPlugin& plugin);
    void plugin_ended(std::uint64_t run_number, Result<net::ProgramOutput> output);
    void answer_waiting(const Result<Access>& answer);

    boost::asio::io_context& loop_;
    Gather gather_;
    WallClock clock_;

    Material material_;
    FileReader files_;
    Instant looked_at_;
    bool is_refused_ = false;
    std::optional<Error> fault_;  // why there is no access now; the next look may clear it

    std::optional<ExecCredential> credential_;  // the plugin's last answer, unless refused
    std::uint64_t run_ = 0;                     // a run of a plugin that was replaced is ignored
    std::vector<Got> waiting_;                  // for the run that is under way

    Access access_;
};

}  // namespace sluice::kube
