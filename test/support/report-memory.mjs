// Loaded before a program (`node --import`): keeps the largest memory it was seen to use in the file that
// MEMORY_REPORT names. Plain JavaScript, for it is part of no program.
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
    // Whoever reads it meanwhile sees the one before.
    writeFileSync(`${path}.new`, report);
    renameSync(`${path}.new`, path);
  }, SAMPLE_MS).unref();
}
