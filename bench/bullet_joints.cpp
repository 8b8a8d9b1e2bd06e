#include "bullet_joints.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <tuple>
#include <vector>

namespace
{

struct anchored {
    btRigidBody *a, *b;
    btVector3 in_a, in_b; /* the anchor in the boxes' own coordinates */
};

} // namespace

/* Members are destroyed from the last to the first, so the world goes before what it refers to. */
struct bullet_joints {
    bullet_joints() : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration)
    {
    }
    ~bullet_joints();

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    std::map<std::tuple<float, float, float>, std::unique_ptr<btBoxShape>> shapes; /* by half extents */
    std::vector<std::unique_ptr<btRigidBody>> boxes;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    std::vector<anchored> anchors;
    btDiscreteDynamicsWorld world;
};

/* The pairs go first: for every body that it removes Bullet walks through all the pairs that are left. */
bullet_joints::~bullet_joints()
{
    for (const std::unique_ptr<btTypedConstraint> &joint : joints)
        world.removeConstraint(joint.get());
    btOverlappingPairCache *pairs = broadphase.getOverlappingPairCache();
    while (int count = pairs->getNumOverlappingPairs()) {
        btBroadphasePair last = pairs->getOverlappingPairArray()[count - 1];
        pairs->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, &dispatcher);
    }
    while (!boxes.empty()) {
        world.removeRigidBody(boxes.back().get());
        boxes.pop_back();
    }
}

static btVector3 vector(mote_vec3 v)
{
    return btVector3(v.x, v.y, v.z);
}

/* Bullet multiplies the frictions of two bodies, Mote takes the root of the product: the root for each body
 * gives both the same friction for every pair. */
static void add_box(bullet_joints &pile, const bullet_box &box)
{
    mote_vec3 half = box.half_extents;
    std::unique_ptr<btBoxShape> &shape = pile.shapes[std::make_tuple(half.x, half.y, half.z)];
    if (!shape)
        shape = std::make_unique<btBoxShape>(vector(half));
    btVector3 inertia(0, 0, 0);
    if (box.mass > 0)
        shape->calculateLocalInertia(box.mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(box.mass, nullptr, shape.get(), inertia);
    info.m_friction = std::sqrt(box.friction);
    info.m_restitution = 0;
    btQuaternion rotation(box.rotation.x, box.rotation.y, box.rotation.z, box.rotation.w);
    info.m_startWorldTransform = btTransform(rotation, vector(box.center));
    pile.boxes.push_back(std::make_unique<btRigidBody>(info));
    if (box.mass > 0)
        pile.boxes.back()->setActivationState(DISABLE_DEACTIVATION);
    pile.world.addRigidBody(pile.boxes.back().get());
}

static std::unique_ptr<btTypedConstraint> make_joint(const bullet_joint &joint, const anchored &at)
{
    btMatrix3x3 to_a = at.a->getWorldTransform().getBasis().transpose();
    btMatrix3x3 to_b = at.b->getWorldTransform().getBasis().transpose();
    btVector3 axis = vector(joint.axis), second = vector(joint.second_axis), anchor = vector(joint.anchor);
    switch (joint.kind) {
    case BULLET_BALL:
        return std::make_unique<btPoint2PointConstraint>(*at.a, *at.b, at.in_a, at.in_b);
    case BULLET_FIXED:
        return std::make_unique<btFixedConstraint>(*at.a, *at.b, btTransform(to_a, at.in_a),
                                                   btTransform(to_b, at.in_b));
    case BULLET_UNIVERSAL:
        return std::make_unique<btUniversalConstraint>(*at.a, *at.b, anchor, axis, second);
    case BULLET_HINGE:
    case BULLET_KNEE:
        break;
    }
    auto hinge = std::make_unique<btHingeConstraint>(*at.a, *at.b, at.in_a, at.in_b, to_a * axis, to_b * axis);
    if (joint.kind == BULLET_KNEE)
        hinge->setLimit(-SIMD_PI, 0.0f);
    return hinge;
}

static void add_joint(bullet_joints &pile, const bullet_joint &joint)
{
    anchored at = {pile.boxes[joint.a].get(), pile.boxes[joint.b].get(), {}, {}};
    at.in_a = at.a->getWorldTransform().inverse() * vector(joint.anchor);
    at.in_b = at.b->getWorldTransform().inverse() * vector(joint.anchor);
    pile.joints.push_back(make_joint(joint, at));
    pile.anchors.push_back(at);
    pile.world.addConstraint(pile.joints.back().get(), false); /* jointed boxes collide, as in Mote */
}

extern "C" bullet_joints *bullet_joints_create(const bullet_box *boxes, size_t box_count,
                                               const bullet_joint *joints, size_t joint_count,
                                               mote_vec3 gravity)
{
    try {
        auto pile = std::make_unique<bullet_joints>();
        pile->world.setGravity(vector(gravity));
        for (size_t i = 0; i < box_count; i++)
            add_box(*pile, boxes[i]);
        for (size_t i = 0; i < joint_count; i++)
            add_joint(*pile, joints[i]);
        return pile.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

extern "C" void bullet_joints_destroy(bullet_joints *pile)
{
    delete pile;
}

extern "C" void bullet_joints_step(bullet_joints *pile, float dt)
{
    pile->world.stepSimulation(dt, 0); /* 0: no cutting into fixed steps */
}

extern "C" mote_pose bullet_joints_pose(const bullet_joints *pile, size_t box)
{
    const btTransform &place = pile->boxes[box]->getWorldTransform();
    btVector3 origin = place.getOrigin();
    btQuaternion turned = place.getRotation();
    return mote_pose{{origin.x(), origin.y(), origin.z()}, {turned.x(), turned.y(), turned.z(), turned.w()}};
}

extern "C" void bullet_joints_gaps(const bullet_joints *pile, double *mean, double *largest)
{
    double sum = 0;
    *largest = 0;
    for (const anchored &at : pile->anchors) {
        btVector3 apart = at.a->getWorldTransform() * at.in_a - at.b->getWorldTransform() * at.in_b;
        double gap = (double)apart.length();
        sum += gap;
        *largest = std::max(*largest, gap);
    }
    *mean = pile->anchors.empty() ? 0 : sum / (double)pile->anchors.size();
}
