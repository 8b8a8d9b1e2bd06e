/* The best rotation of a matrix, against an answer worked out another way: the singular values by one-sided
 * Jacobi rotations in long double. Rods, sheets, bodies turned inside out, half turns, tiny and huge ones. */
#include "support.h"

#include <math.h>

#include "base/hash.h"
#include "turns.h"

#define MATRICES      100000 /* in all, over the kinds below */
#define ANGLE_ALLOWED 1e-6   /* rad; the answer is rounded to floats */

/* Of the bits of all answers: no compiler and no optimisation may change them. */
#define ANSWERS_HASH 0x1fb02308cde08727ull

/* trace(r^T a) */
static double objective(const mt_matrix *r, const mt_matrix *a)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += r->m[i][j] * a->m[i][j];
    return sum;
}

/* q turned on by up to about 0.1 rad. */
static quaternion turned_a_little(quaternion q, uint64_t *state)
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = between(state, -0.03, 0.03);
    quaternion little = {x[0], x[1], x[2], 1};
    return times(unit(little), q);
}

/* ---- the kinds of matrices ------------------------------------------------------------------------------ */

typedef enum kind {
    RANDOM,
    CLOUD,      /* of a body's particles, turned and shaken */
    SHEET,      /* rank 2 */
    REFLECTED,  /* determinant below 0 */
    NEAR_ROD,   /* nearly singular, twice over */
    NEAR_SHEET, /* nearly singular */
    REPEATED,   /* two or three singular values the same */
    HALF_TURN,  /* by exactly 180 degrees */
    ROD,        /* rank 1: from here on many rotations are equally good */
    SQUASHED,   /* turned inside out along one of two equal axes */
    MIRROR,     /* a rotation with the other sign: all half turns from it are equally good */
    NOTHING,    /* 0 */
    KINDS
} kind;

static mt_matrix cloud(uint64_t *state)
{
    mt_matrix r = matrix_of(random_turn(state)), a = {{{0}}};
    for (int n = 0; n < 8; n++) {
        double y[3];
        for (int i = 0; i < 3; i++)
            y[i] = between(state, -1, 1);
        vector now = apply(&r, (vector){y[0], y[1], y[2]});
        double x[3] = {now.x, now.y, now.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a.m[i][j] += (x[i] + between(state, -0.05, 0.05)) * y[j];
    }
    return a;
}

/* S turned by half a turn about an axis whose direction is exact in binary, or any. */
static mt_matrix half_turn(uint64_t *state)
{
    static const quaternion axes[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 1, 0, 0}, {1, -1, 1, 0}};
    uint32_t which = (uint32_t)between(state, 0, 6);
    quaternion axis = random_turn(state);
    axis.w = 0;
    mt_matrix r = matrix_of(unit(which < 5 ? axes[which] : axis));
    mt_matrix s = {{{3, 0, 0}, {0, 2, 0}, {0, 0, 1}}};
    return multiply(&r, &s);
}

static double tenth_power(int exponent)
{
    double power = 1;
    for (; exponent > 0; exponent--)
        power /= 10;
    return power;
}

static mt_matrix repeated(uint64_t *state)
{
    static const double values[][3] = {{1, 1, 1}, {1, 1, 0.5}, {1, 0.5, 0.5}, {1, 1, -0.5}, {1, 1, 0}};
    const double *s = values[(uint32_t)between(state, 0, 5)];
    return with_values(state, s[0], s[1], s[2]);
}

static mt_matrix make(kind what, uint64_t *state)
{
    mt_matrix a = {{{0}}};
    double small = tenth_power((int)between(state, 1, 9)); /* to 1e-8 */
    double second = between(state, 0.5, 1), third = between(state, -1, 1);
    switch (what) {
    case RANDOM:
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a.m[i][j] = between(state, -1, 1);
        return a;
    case CLOUD:
        return cloud(state);
    case SHEET:
        return with_values(state, 1, second * second, 0);
    case REFLECTED:
        return with_values(state, 1, second, -0.49 * fabs(third));
    case NEAR_ROD:
        return with_values(state, 1, second * small, 0.49 * third * small);
    case NEAR_SHEET:
        return with_values(state, 1, second, third * small);
    case REPEATED:
        return repeated(state);
    case HALF_TURN:
        return half_turn(state);
    case ROD:
        return with_values(state, 1, 0, 0);
    case SQUASHED:
        return with_values(state, 1, 0.9 * second, -0.9 * second);
    case MIRROR:
        return with_values(state, -1, -1, -1);
    default:
        return a;
    }
}

/* Of the equally good rotations the one nearest to the guess. They are those that take the first right singular
 * vector to the first left one, all of them: the shortest turn between where the guess takes it and where it
 * has to go, after the guess. */
static quaternion nearest_by_swing(const parts *p, quaternion guess)
{
    mt_matrix g = matrix_of(guess);
    vector from = apply(&g, (vector){(double)p->v[0][0], (double)p->v[1][0], (double)p->v[2][0]});
    vector to = {(double)p->u[0][0], (double)p->u[1][0], (double)p->u[2][0]};
    quaternion swing = {from.y * to.z - from.z * to.y, from.z * to.x - from.x * to.z,
                        from.x * to.y - from.y * to.x, 1 + from.x * to.x + from.y * to.y + from.z * to.z};
    return unit(times(unit(swing), guess));
}

/* The best rotations of -M, M a rotation, are all that differ from it by half a turn: those whose quaternions
 * are at right angles to M's. */
static quaternion nearest_half_turn(const mt_matrix *a, quaternion guess)
{
    mt_matrix m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.m[i][j] = -a->m[i][j];
    quaternion q = quaternion_of(&m);
    double part = q.x * guess.x + q.y * guess.y + q.z * guess.z + q.w * guess.w;
    return unit(
        (quaternion){guess.x - part * q.x, guess.y - part * q.y, guess.z - part * q.z, guess.w - part * q.w});
}

/* ---- the comparison ------------------------------------------------------------------------------------- */

typedef struct worst {
    double angle, loss; /* rad; part of the objective */
} worst;

static void compare(kind what, const mt_matrix *a, const parts *p, quaternion guess, double scale, worst *w)
{
    mt_matrix scaled = *a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            scaled.m[i][j] *= scale;
    mote_quat answer = mt_rotation_extract(&scaled, to_floats(guess));
    check_true(isfinite(answer.x) && isfinite(answer.y) && isfinite(answer.z) && isfinite(answer.w),
               "kind %d: the answer is finite", (int)what);
    double square = (double)answer.x * (double)answer.x + (double)answer.y * (double)answer.y +
                    (double)answer.z * (double)answer.z + (double)answer.w * (double)answer.w;
    check_near(square, 1, 1e-6, "kind %d: the quaternion's length, squared", (int)what);
    guess = of_floats(to_floats(guess));
    quaternion q = of_floats(answer), right = guess;
    check_above(q.x * guess.x + q.y * guess.y + q.z * guess.z + q.w * guess.w, -1e-7,
                "kind %d: the sign is that of the guess", (int)what);
    double best = (double)(p->s[0] + p->s[1] + (long double)p->sign * p->s[2]);
    mt_matrix r = matrix_of(q);
    w->loss = fmax(w->loss, best > 0 ? 1 - objective(&r, a) / best : 0);
    if (what == ROD || what == SQUASHED)
        right = nearest_by_swing(p, guess);
    else if (what == MIRROR)
        right = nearest_half_turn(a, guess);
    else if (what != NOTHING)
        right = exact_answer(*p);
    w->angle = fmax(w->angle, angle_between(q, right));
}

static void best_rotation(void **state)
{
    (void)state;
    worst w[KINDS] = {{0, 0}};
    uint64_t random = 1;
    for (uint32_t n = 0; n < MATRICES; n++) {
        kind what = (kind)(n % KINDS);
        mt_matrix a = make(what, &random);
        parts p = take_apart(&a);
        if (what < ROD && clearness(&p) < 1e-9)
            continue; /* a random matrix that is a tie by chance */
        if (what >= ROD && what != NOTHING)
            check_below(clearness(&p), 1e-14, "kind %d: the matrix is a tie", (int)what);
        double scale = any_scale(&random);
        quaternion warm = random_turn(&random);
        if (what == MIRROR) /* one of the equally good ones */
            warm = nearest_half_turn(&a, warm);
        else if (what == ROD || what == SQUASHED)
            warm = nearest_by_swing(&p, warm);
        else if (what != NOTHING)
            warm = exact_answer(p);
        compare(what, &a, &p, (quaternion){0, 0, 0, 1}, scale, &w[what]);
        compare(what, &a, &p, turned_a_little(warm, &random), scale, &w[what]);
    }
    for (int k = 0; k < KINDS; k++) {
        check_below(w[k].angle, ANGLE_ALLOWED, "kind %d: worst angle from the exact answer, rad", k);
        check_below(w[k].loss, 1e-12, "kind %d: worst loss of the objective", k);
    }
}

/* The guesses come from doubles only: the long double of the exact answers is not the same everywhere. */
static void same_bits(void **state)
{
    (void)state;
    uint64_t random = 11, hash = 0;
    for (uint32_t n = 0; n < 1200; n++) {
        mt_matrix a = make((kind)(n % KINDS), &random);
        mote_quat cold = mt_rotation_extract(&a, to_floats(random_turn(&random)));
        mote_quat warm = mt_rotation_extract(&a, to_floats(turned_a_little(of_floats(cold), &random)));
        hash = mt_hash_bytes(mt_hash_bytes(hash, &cold, sizeof cold), &warm, sizeof warm);
    }
    check_true(hash == ANSWERS_HASH, "the answers have the bits they should: hash 0x%016llx",
               (unsigned long long)hash);
}

/* What has no size, or nearly none, or as much as there is. */
static void ends_of_the_range(void **state)
{
    (void)state;
    uint64_t random = 7;
    const double scales[] = {4.9e-324, 1e-310, 1e-300, 1e300, 1e308};
    for (size_t n = 0; n < sizeof scales / sizeof scales[0]; n++) {
        quaternion q = random_turn(&random);
        mt_matrix a = matrix_of(q);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a.m[i][j] *= scales[n];
        quaternion answer = of_floats(mt_rotation_extract(&a, (mote_quat){0, 0, 0, 1}));
        double allowed = n == 0 ? 0.7 : ANGLE_ALLOWED; /* the first has elements of 0 and +-1 only */
        check_below(angle_between(answer, q), allowed, "a rotation times %g: angle, rad", scales[n]);
        answer = of_floats(mt_rotation_extract(&a, (mote_quat){0, 0, 0, 0}));
        check_below(angle_between(answer, q), allowed, "with a guess of 0: angle, rad");
        answer = of_floats(mt_rotation_extract(&a, (mote_quat){1e38f, -3e38f, 1e38f, 2e38f}));
        check_below(angle_between(answer, q), allowed, "with a long guess: angle, rad");
    }
    mt_matrix nothing = {{{0}}};
    mote_quat none = mt_rotation_extract(&nothing, (mote_quat){0, 0, 0, 0});
    check_true(none.x == 0 && none.y == 0 && none.z == 0 && none.w == 1, "nothing at all is no turn");
    quaternion kept = of_floats(mt_rotation_extract(&nothing, (mote_quat){3, 0, 4, 0}));
    check_below(angle_between(kept, (quaternion){0.6, 0, 0.8, 0}), 1e-7, "a matrix of 0 keeps the guess");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_rotation),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
