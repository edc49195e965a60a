// The `sluice` command: flags to options, one function per subcommand.
#pragma once

namespace sluice::cli {

int run(int argc, char** argv);

}  // namespace sluice::cli
