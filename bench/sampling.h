/* Many measured values, and what to make of them. */
#ifndef MOTE_BENCH_SAMPLING_H
#define MOTE_BENCH_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>

/* A growing list of measured values. Start with {0}. */
typedef struct sample_set {
    double *values;
    size_t count, capacity;
} sample_set;

/* False when there is no memory. */
bool samples_add(sample_set *samples, double value);
void samples_free(sample_set *samples);

/* The value below which `part` (0 to 1) of the samples lie, by the nearest rank; 0 without samples. Sorts. */
double samples_quantile(sample_set *samples, double part);
double samples_median(sample_set *samples);

/* Of the same things measured in several rounds, one round after the other: leaves each one's median over the
 * rounds, of an even number the lower. What has no value in every round is dropped. */
void samples_fold(sample_set *samples, size_t rounds);

#endif
