#include "cli/command.hpp"

int main(int argc, char** argv) {
    return sluice::cli::run(argc, argv);
}
