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
