// Preloaded into a program (`node --import`): writes the largest memory use seen to the file that MEMORY_REPORT
// names.
import { renameSync, writeFileSync } from 'node:fs';

const SAMPLE_MS = 20;
const path = process.env.MEMORY_REPORT;
const peak = { heapUsed: 0, heapTotal: 0, external: 0, arrayBuffers: 0, rss: 0 };
let written = '';

if (path !== undefined) {
  setInterval(() => {
    const now = process.memoryUsage();
    for (const name of Object.keys(peak)) peak[name] = Math.max(peak[name], now[name]);
    const report = JSON.stringify({ now, peak });
    if (report === written) return;
    written = report;
    // Renamed into place, so that a reader never sees half of a file.
    writeFileSync(`${path}.new`, report);
    renameSync(`${path}.new`, path);
  }, SAMPLE_MS).unref();
}
