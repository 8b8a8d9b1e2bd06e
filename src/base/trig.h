/* Sine and cosine that are the same everywhere: the C library's may differ in the last bit from one machine
 * to the next. */
#ifndef MOTE_BASE_TRIG_H
#define MOTE_BASE_TRIG_H

#include <math.h>

#define MT_PI 3.14159265358979323846

/* By their series, after a reduction to an eighth of a turn around the nearest quarter. For angles up to
 * some thousands. */
static inline void mt_sin_cos(double angle, double *sine, double *cosine)
{
    double quarters = floor(angle * (2.0 / MT_PI) + 0.5);
    double rest = angle - quarters * (MT_PI / 2.0), square = rest * rest;
    double s = 1.0, c = 1.0;
    for (int i = 9; i > 0; i--) { /* Horner, from the smallest term */
        s = 1.0 - s * square / (double)(2 * i * (2 * i + 1));
        c = 1.0 - c * square / (double)(2 * i * (2 * i - 1));
    }
    s *= rest;
    double turn = quarters - 4.0 * floor(quarters / 4.0);
    int quarter = turn > 0.0 && turn < 4.0 ? (int)turn : 0; /* 0 for what is no number */
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

/* The angle, 0 to pi, whose sine (0 or more) and cosine these are. Newton's method: the sine of what is
 * missing is known. */
static inline double mt_angle_of(double sine, double cosine)
{
    double size = sine + fabs(cosine), angle = size > 0 ? 0.5 * MT_PI * sine / size : 0.0, s, c;
    if (cosine < 0)
        angle = MT_PI - angle;
    for (int i = 0; i < 4; i++) {
        mt_sin_cos(angle, &s, &c);
        angle += sine * c - cosine * s;
    }
    return angle;
}

#endif
