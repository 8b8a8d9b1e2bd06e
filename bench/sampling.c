#include "sampling.h"

#include <math.h>
#include <stdlib.h>

bool samples_add(sample_set *samples, double value)
{
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : 64;
        double *values = realloc(samples->values, capacity * sizeof *values);
        if (values == NULL)
            return false;
        samples->values = values;
        samples->capacity = capacity;
    }
    samples->values[samples->count++] = value;
    return true;
}

void samples_free(sample_set *samples)
{
    free(samples->values);
    samples->values = NULL;
    samples->count = samples->capacity = 0;
}

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double samples_quantile(sample_set *samples, double part)
{
    if (samples->count == 0)
        return 0.0;
    qsort(samples->values, samples->count, sizeof *samples->values, compare_values);
    double rank = ceil(part * (double)samples->count);
    size_t index = rank < 1.0 ? 0 : (size_t)rank - 1;
    return samples->values[index < samples->count ? index : samples->count - 1];
}

double samples_median(sample_set *samples)
{
    return samples_quantile(samples, 0.5);
}

/* The median of every `stride`th of `count` values: the one with half of the others before it. */
static double median_of_column(const double *values, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        double value = values[i * stride];
        for (size_t k = 0; k < count; k++)
            before += values[k * stride] < value || (values[k * stride] == value && k < i);
        if (before == (count - 1) / 2)
            return value;
    }
    return values[0];
}

void samples_fold(sample_set *samples, size_t rounds)
{
    size_t count = rounds > 0 ? samples->count / rounds : 0;
    for (size_t i = 0; i < count; i++)
        samples->values[i] = median_of_column(samples->values + i, rounds, count);
    samples->count = count;
}
