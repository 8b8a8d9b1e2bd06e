/* Shares the rows or columns of a picture out among the cores. */
#ifndef MOTE_TOOLS_RENDER_BANDS_H
#define MOTE_TOOLS_RENDER_BANDS_H

/* Does the lines first .. end - 1. */
typedef void band_work(void *context, int first, int end);

/* Calls work for bands of `height` lines until all `count` are done, on every core. Bands must not write what
 * others read. */
void bands_run(band_work *work, void *context, int count, int height);

#endif
