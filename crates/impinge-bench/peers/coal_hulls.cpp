// Times the distance of two convex hulls along a path, by coal's GJK with warm start.
//
//     pip install coal                       (its wheel has the headers and the library, under cmeel.prefix)
//     c++ -O3 -DNDEBUG -std=c++17 -I PREFIX/include -I /usr/include/eigen3 coal_hulls.cpp -o coal_hulls
//         -L PREFIX/lib -lcoal -Wl,-rpath,PREFIX/lib -Wl,--allow-shlib-undefined
//     coal_hulls FOLDER
//
// FOLDER is written by `cargo bench -p impinge-bench --bench hulls`: a.obj, b.obj and poses.csv (a row-major 3x4 matrix
// a line, that places b in the frame of a). Prints a line of JSON for each way to ask: its name, the mean time of a
// query in nanoseconds (the shortest of several rounds), and the distances. The code must not be compiled for more than
// the baseline instruction set: the library is not, and Eigen's alignment has to agree with it.
#include <chrono>
#include <coal/config.hh>
#include <coal/distance.h>
#include <coal/narrowphase/gjk.h>
#include <coal/shape/convex.h>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

using Hull = coal::Convex<coal::Triangle>;

static Hull read_hull(const std::string& path) {
  auto points = std::make_shared<std::vector<coal::Vec3s>>();
  auto faces = std::make_shared<std::vector<coal::Triangle>>();
  std::ifstream file(path);
  std::string line, kind;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    words >> kind;
    if (kind == "v") {
      double x, y, z;
      words >> x >> y >> z;
      points->emplace_back(x, y, z);
    } else if (kind == "f") {
      size_t p, q, r;
      words >> p >> q >> r;
      faces->emplace_back(p - 1, q - 1, r - 1);
    }
  }
  if (faces->empty()) fprintf(stderr, "cannot read a hull from %s\n", path.c_str()), exit(2);
  return Hull(points, unsigned(points->size()), faces, unsigned(faces->size()));
}

static std::vector<coal::Transform3s> read_poses(const std::string& path) {
  std::vector<coal::Transform3s> poses;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    for (char& c : line)
      if (c == ',') c = ' ';
    std::istringstream words(line);
    double row[12];
    bool whole = true;
    for (double& number : row) whole = whole && (words >> number);
    if (!whole) continue;
    coal::Matrix3s r;
    r << row[0], row[1], row[2], row[4], row[5], row[6], row[8], row[9], row[10];
    poses.emplace_back(r, coal::Vec3s(row[3], row[7], row[11]));
  }
  return poses;
}

using Poses = std::vector<coal::Transform3s>;

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Query>
static void report(const char* way, const Poses& poses, Query query) {
  std::vector<double> distances(poses.size());
  double best = 1e300, begin = seconds();
  // At least three rounds, and more of them for half a second.
  for (int round = 0; round < 3 || (round < 50 && seconds() - begin < 0.5); round++) {
    double start = seconds();
    for (size_t k = 0; k < poses.size(); k++) distances[k] = query(poses[k]);
    best = std::min(best, seconds() - start);
  }
  printf("{\"engine\":\"coal %s, %s\",\"mean_ns\":%.2f,\"distances\":[", COAL_VERSION, way,
         best * 1e9 / double(poses.size()));
  for (size_t k = 0; k < distances.size(); k++) printf("%s%.17g", k ? "," : "", distances[k]);
  printf("]}\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "usage: coal_hulls FOLDER\n"), 2;
  std::string folder = argv[1];
  Hull a = read_hull(folder + "/a.obj"), b = read_hull(folder + "/b.obj");
  Poses poses = read_poses(folder + "/poses.csv");

  // The usual call, with the functions for the two shapes looked up once.
  {
    coal::ComputeDistance compute(&a, &b);
    coal::Transform3s identity;
    coal::DistanceRequest request;
    request.gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;
    request.enable_signed_distance = false;
    coal::DistanceResult result;
    report("distance", poses, [&](const coal::Transform3s& pose) {
      result.clear();
      double distance = compute(identity, pose, request, result);
      request.updateGuess(result);
      return std::max(distance, 0.0);
    });
  }

  // GJK alone: the Minkowski difference is set up once, and only its placement changes.
  {
    coal::details::MinkowskiDiff difference;
    // Any placement but the identity: for that one, coal chooses a support function that places nothing.
    difference.set(&a, &b, coal::Transform3s(), poses.front());
    coal::details::GJK gjk(coal::GJK_DEFAULT_MAX_ITERATIONS, coal::GJK_DEFAULT_TOLERANCE);
    coal::Vec3s guess(1, 0, 0);
    coal::support_func_guess_t hint = coal::support_func_guess_t::Zero();
    report("GJK alone", poses, [&](const coal::Transform3s& pose) {
      difference.oR1 = pose.getRotation();
      difference.ot1 = pose.getTranslation();
      auto status = gjk.evaluate(difference, guess, hint);
      coal::Vec3s p, q, normal;
      double distance = 0.0;
      bool apart = status == coal::details::GJK::NoCollision || status == coal::details::GJK::NoCollisionEarlyStopped;
      if (apart) {
        gjk.getWitnessPointsAndNormal(difference, p, q, normal);
        distance = (p - q).norm();
      }
      guess = gjk.ray;
      hint = gjk.support_hint;
      return distance;
    });
  }
}
