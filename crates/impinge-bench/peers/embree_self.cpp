// Times Embree's rtcCollide on the positions of a deforming mesh, against itself.
//
//     c++ -O3 -march=native -std=c++17 embree_self.cpp -o embree_self -lembree3     (Debian: libembree-dev)
//     embree_self FILE.frames
//
// FILE.frames is written by `cargo bench -p impinge-bench --bench deform`. The mesh is a user geometry of one primitive
// per triangle, on one thread. Prints one line of JSON for each way to update it, refitting and building with
// low quality: the shortest times over all frames. rtcCollide reports pairs of triangles whose boxes overlap; those with a common vertex are left out here, and
// triangles are not compared.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <embree3/rtcore.h>
#include <fstream>
#include <vector>

struct Cloth {
  std::vector<uint32_t> faces;
  std::vector<float> positions;
};

static void bounds(const RTCBoundsFunctionArguments* arguments) {
  const Cloth& cloth = *static_cast<const Cloth*>(arguments->geometryUserPtr);
  const uint32_t* face = &cloth.faces[3 * size_t(arguments->primID)];
  float low[3], high[3];
  for (int axis = 0; axis < 3; axis++) {
    float p = cloth.positions[3 * size_t(face[0]) + axis];
    float q = cloth.positions[3 * size_t(face[1]) + axis];
    float r = cloth.positions[3 * size_t(face[2]) + axis];
    low[axis] = std::min(p, std::min(q, r));
    high[axis] = std::max(p, std::max(q, r));
  }
  RTCBounds& box = *arguments->bounds_o;
  box.lower_x = low[0], box.lower_y = low[1], box.lower_z = low[2];
  box.upper_x = high[0], box.upper_y = high[1], box.upper_z = high[2];
}

struct Count {
  const Cloth* cloth;
  uint64_t pairs;
};

static void visit(void* user, RTCCollision* collisions, unsigned count) {
  Count& counter = *static_cast<Count*>(user);
  for (unsigned i = 0; i < count; i++) {
    // Each pair is reported in both orders.
    if (collisions[i].primID0 >= collisions[i].primID1) continue;
    const uint32_t* f = &counter.cloth->faces[3 * size_t(collisions[i].primID0)];
    const uint32_t* g = &counter.cloth->faces[3 * size_t(collisions[i].primID1)];
    bool shares = false;
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) shares |= f[j] == g[k];
    counter.pairs += !shares;
  }
}

static double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "usage: embree_self FILE.frames\n"), 2;
  std::ifstream file(argv[1], std::ios::binary);
  uint64_t counts[3];
  if (!file.read(reinterpret_cast<char*>(counts), sizeof counts)) return fprintf(stderr, "cannot read the file\n"), 2;
  auto [vertices, faces, frame_count] = counts;
  Cloth cloth;
  cloth.faces.resize(3 * faces);
  cloth.positions.resize(3 * vertices);
  file.read(reinterpret_cast<char*>(cloth.faces.data()), 12 * faces);
  std::vector<std::vector<double>> frames(frame_count, std::vector<double>(3 * vertices));
  for (auto& frame : frames) file.read(reinterpret_cast<char*>(frame.data()), 24 * vertices);
  auto place = [&](const std::vector<double>& frame) {
    std::copy(frame.begin(), frame.end(), cloth.positions.begin());
  };

  struct Way {
    const char* name;
    RTCBuildQuality quality;
  };
  for (Way way : {Way{"refit", RTC_BUILD_QUALITY_REFIT}, Way{"rebuild", RTC_BUILD_QUALITY_LOW}}) {
    RTCDevice device = rtcNewDevice("threads=1,user_threads=1");
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(geometry, way.quality);
    rtcSetGeometryUserPrimitiveCount(geometry, unsigned(faces));
    rtcSetGeometryUserData(geometry, &cloth);
    rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
    place(frames[0]);
    double start = now();
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, 0);
    rtcCommitScene(scene);
    double build = now() - start, update = 1e300, own = 1e300;
    Count count{&cloth, 0};
    for (size_t k = 1; k < frames.size(); k++) {
      double begin = now();
      place(frames[k]);
      rtcCommitGeometry(geometry);
      rtcCommitScene(scene);
      double updated = now();
      count.pairs = 0;
      rtcCollide(scene, scene, visit, &count);
      double end = now();
      update = std::min(update, updated - begin), own = std::min(own, end - updated);
    }
    int version = int(rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION));
    printf("{\"engine\":\"Embree %d.%d.%d, %s\",\"threads\":1,\"build_ms\":%.3f,\"update_ms\":%.3f,\"self_ms\":%.3f,"
           "\"found\":\"%llu pairs of boxes\"}\n",
           version / 10000, version / 100 % 100, version % 100, way.name, build, update, own, static_cast<unsigned long long>(count.pairs));
    fflush(stdout);
    rtcReleaseGeometry(geometry);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
  }
}
