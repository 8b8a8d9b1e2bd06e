/* Only the search: sorting the particles into cells and making their neighbour lists, in the busiest frames of
 * the falling column. Times are of one making of the lists, not of a frame. */
#include "race.h"

#include "tools/command.h"

/* The whole step's report, with the times of the search in the place of the step's. */
static bool report_search(column_run *run, const char *name, bench_report *report)
{
    if (run->search_ms.count == 0) {
        complain("bench: no neighbour lists were made in %zu frames", run->frame_ms.count);
        return false;
    }
    report_run result = column_report(run, name);
    result.subject = "making the neighbour lists once, sorting included";
    result.ms_median = samples_median(&run->search_ms);
    result.ms_p95 = samples_quantile(&run->search_ms, 0.95);
    result.ns_per_particle_iteration = 1e6 * result.ms_median / (double)result.particles;
    result.frames = (uint32_t)run->search_ms.count;
    return report_add_run(report, &result);
}

bool neighbors_bench(const bench_options *options, bench_report *report)
{
    bench_list sizes = race_sizes(options);
    for (size_t i = 0; i < sizes.count; i++) {
        column_race column;
        bool done = race_run(&column, "neighbors", sizes.values[i], NULL, options);
        for (size_t k = 0; done && k < column.run_count; k++)
            done = report_search(&column.runs[k], column.name, report);
        race_end(&column);
        if (!done)
            return false;
    }
    return true;
}
