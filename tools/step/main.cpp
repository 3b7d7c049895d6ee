// impinge-step: reads a STEP file, cuts its surfaces into triangles, and writes parts.
//
// A program of its own, because OpenCASCADE can crash or hang on a bad file: then this process does, and not the
// one that asked. The file comes by standard input; standard output gets all of the result (stream.hpp) or nothing.
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

// A stream of our own, out of reach for a library that prints what it thinks to the usual ones.
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

// What a file may take: a small one cannot fill the memory, whatever it holds.
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
        // Straight out: taking down all that was built takes longer than reading it.
        _exit(is_whole ? EXIT_SUCCESS : EXIT_FAILURE);
    } catch (const std::bad_alloc&) {
        fprintf(errors, "it takes more memory than a file of its size may\n");
    } catch (const std::exception& error) {
        fprintf(errors, "%s\n", error.what());
    } catch (const Standard_Failure& failure) {
        fprintf(errors, "%s: %s\n", failure.DynamicType()->Name(), failure.GetMessageString());
    }
    fflush(errors);
    _exit(EXIT_FAILURE);
}
