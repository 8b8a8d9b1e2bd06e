#include "bullet_peer.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <vector>

/* Bullet's margins are lengths (0.02 m around contacts, 0.05 m around the boxes of its tree), right for bodies
 * of about a metre and a burden for small ones: spheres of 0.1 m take half as long again, those of 0.05 m five
 * times as long. So everything is enlarged until the largest sphere has this radius, m. Gravity, velocities and
 * the depth from which Bullet corrects positions apart from velocities are enlarged alike, and the motion
 * stays. */
static const float COMFORTABLE_RADIUS = 0.5f;

/* Members are destroyed from the last to the first, so the world goes before what it refers to. */
struct bullet_peer {
    bullet_peer(const btDefaultCollisionConstructionInfo &sizes, float enlargement)
        : scale(enlargement), configuration(sizes), dispatcher(&configuration),
          world(&dispatcher, &broadphase, &solver, &configuration)
    {
    }
    ~bullet_peer();

    float scale; /* Bullet's lengths in ours */
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    std::map<float, std::unique_ptr<btSphereShape>> sphere_shapes; /* by radius */
    std::vector<std::unique_ptr<btStaticPlaneShape>> plane_shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies; /* the spheres, then the planes */
    std::vector<float> radii;
    btDiscreteDynamicsWorld world;
};

/* The pairs go first: for every body that it removes Bullet walks through all the pairs that are left. Then the
 * bodies, from the last to the first. */
bullet_peer::~bullet_peer()
{
    btOverlappingPairCache *pairs = broadphase.getOverlappingPairCache();
    while (int count = pairs->getNumOverlappingPairs()) {
        btBroadphasePair last = pairs->getOverlappingPairArray()[count - 1];
        pairs->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, &dispatcher);
    }
    while (!bodies.empty()) {
        world.removeRigidBody(bodies.back().get());
        bodies.pop_back();
    }
}

static btVector3 vector(mote_vec3 v, float scale)
{
    return btVector3(v.x, v.y, v.z) * scale;
}

static float enlargement(const bullet_sphere *spheres, size_t count)
{
    float largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = std::max(largest, spheres[i].radius);
    return largest > 0 ? COMFORTABLE_RADIUS / largest : 1;
}

/* Bullet multiplies the frictions of two bodies, Mote takes the root of the product: the root for each body
 * gives both the same friction for every pair. */
static btRigidBody *add_body(bullet_peer &peer, btCollisionShape *shape, float mass, float friction)
{
    btVector3 inertia(0, 0, 0);
    if (mass > 0)
        shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_friction = std::sqrt(friction);
    info.m_restitution = 0;
    peer.bodies.push_back(std::make_unique<btRigidBody>(info));
    return peer.bodies.back().get();
}

static void add_sphere(bullet_peer &peer, const bullet_sphere &sphere)
{
    std::unique_ptr<btSphereShape> &shape = peer.sphere_shapes[sphere.radius];
    if (!shape)
        shape = std::make_unique<btSphereShape>(sphere.radius * peer.scale);
    btRigidBody *body = add_body(peer, shape.get(), sphere.mass, sphere.friction);
    btTransform start(btQuaternion::getIdentity(), vector(sphere.position, peer.scale));
    body->setWorldTransform(start);
    body->setInterpolationWorldTransform(start);
    body->setLinearVelocity(vector(sphere.velocity, peer.scale));
    body->setActivationState(DISABLE_DEACTIVATION);
    peer.world.addRigidBody(body);
    peer.radii.push_back(sphere.radius);
}

static void add_plane(bullet_peer &peer, const bullet_plane &plane)
{
    peer.plane_shapes.push_back(
        std::make_unique<btStaticPlaneShape>(vector(plane.normal, 1), plane.offset * peer.scale));
    peer.world.addRigidBody(add_body(peer, peer.plane_shapes.back().get(), 0, plane.friction));
}

/* The pools are made large enough for every contact of a dense packing (twelve neighbours, each pair once),
 * which spares Bullet one call of malloc for each. */
extern "C" bullet_peer *bullet_peer_create(const bullet_sphere *spheres, size_t sphere_count,
                                           const bullet_plane *planes, size_t plane_count, mote_vec3 gravity)
{
    try {
        btDefaultCollisionConstructionInfo sizes;
        sizes.m_defaultMaxPersistentManifoldPoolSize = (int)(8 * sphere_count + 4096);
        sizes.m_defaultMaxCollisionAlgorithmPoolSize = (int)(8 * sphere_count + 4096);
        auto peer = std::make_unique<bullet_peer>(sizes, enlargement(spheres, sphere_count));
        peer->world.setGravity(vector(gravity, peer->scale));
        peer->world.getSolverInfo().m_splitImpulsePenetrationThreshold *= peer->scale;
        for (size_t i = 0; i < sphere_count; i++)
            add_sphere(*peer, spheres[i]);
        for (size_t i = 0; i < plane_count; i++)
            add_plane(*peer, planes[i]);
        return peer.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

extern "C" void bullet_peer_destroy(bullet_peer *peer)
{
    delete peer;
}

extern "C" void bullet_peer_step(bullet_peer *peer, float dt)
{
    peer->world.stepSimulation(dt, 0); /* 0: no cutting into fixed steps */
}

extern "C" int bullet_peer_iterations(bullet_peer *peer)
{
    return peer->world.getSolverInfo().m_numIterations;
}

extern "C" void bullet_peer_read(const bullet_peer *peer, mote_vec4 *spheres)
{
    for (size_t i = 0; i < peer->radii.size(); i++) {
        btVector3 origin = peer->bodies[i]->getWorldTransform().getOrigin() / peer->scale;
        spheres[i] = mote_vec4{origin.x(), origin.y(), origin.z(), peer->radii[i]};
    }
}
