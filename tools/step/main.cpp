// impinge-step: reads a STEP file, splits its surfaces into triangles, and writes parts.
//
// It is a separate program because OpenCASCADE can crash or hang on a bad file; then only this process fails, not its
// caller. The file comes from standard input. Standard output gets the complete result (see stream.hpp) or nothing.
#include "parts.hpp"

#include <Standard_Failure.hxx>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <csignal>
#include <sys/prctl.h>
#endif

namespace {

const char* const USAGE =
    "usage: impinge-step [--tolerance MILLIMETRES] [--measure] < FILE.step > PARTS\n"
    "  --tolerance MILLIMETRES   how far triangles may be from a surface (0.1, for small bodies less)\n"
    "  --measure                 instead, a line for each body: its kind, its exact volume and area";

// Opens a private copy of an output stream, because OpenCASCADE prints messages to the standard ones.
FILE* taken(int descriptor) {
    FILE* file = fdopen(dup(descriptor), "wb");
    if (file == nullptr || freopen("/dev/null", "wb", descriptor == STDOUT_FILENO ? stdout : stderr) == nullptr) {
        exit(EXIT_FAILURE);
    }
    return file;
}

std::string all_of(FILE* input) {
    std::string bytes;
    char buffer[1 << 16];
    while (const size_t count = fread(buffer, 1, sizeof buffer, input)) {
        bytes.append(buffer, count);
    }
    return bytes;
}

// Limits the memory by the size of the file: a small file cannot fill the memory.
void limit_memory(size_t file_size) {
    const rlim_t bytes = (rlim_t(4) << 30) + 100 * rlim_t(file_size);
    const rlimit memory{bytes, bytes}, none{0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &none);
}

} // namespace

int main(int count, char** arguments) {
    double tolerance = 0;
    bool is_measured = false, is_understood = true;
    for (int at = 1; at < count; at++) {
        if (strcmp(arguments[at], "--tolerance") == 0 && at + 1 < count) {
            tolerance = atof(arguments[++at]);
            is_understood = is_understood && tolerance > 0;
        } else if (strcmp(arguments[at], "--measure") == 0) {
            is_measured = true;
        } else {
            is_understood = false;
        }
    }
    if (!is_understood) {
        fprintf(stderr, "%s\n", USAGE);
        return 2;
    }
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    FILE* const output = taken(STDOUT_FILENO);
    FILE* const errors = taken(STDERR_FILENO);
    try {
        const std::string file = all_of(stdin);
        limit_memory(file.size());
        const Document document(file);
        Stream stream;
        std::string measured;
        write_parts(document, tolerance, file.size() / 4 + 1000, stream, is_measured ? &measured : nullptr);
        const std::string& bytes = is_measured ? measured : stream.finished();
        const bool is_whole = fwrite(bytes.data(), 1, bytes.size(), output) == bytes.size() && fflush(output) == 0;
        // Exit without destructors: freeing everything would take longer than reading the file.
        _exit(is_whole ? EXIT_SUCCESS : EXIT_FAILURE);
    } catch (const std::bad_alloc&) {
        fprintf(errors, "the file needs more memory than is allowed for its size\n");
    } catch (const std::exception& error) {
        fprintf(errors, "%s\n", error.what());
    } catch (const Standard_Failure& failure) {
        fprintf(errors, "%s: %s\n", failure.DynamicType()->Name(), failure.GetMessageString());
    }
    fflush(errors);
    _exit(EXIT_FAILURE);
}
