/** Memory of a service process during some work, measured from outside. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { INTERNAL_TOKEN, type Service } from './service.ts';

const SAMPLE_MS = 100;

/** Figures of the process in MB, by the names of its metrics. */
async function readMb(service: Service, names: readonly string[]): Promise<number> {
  const response = await fetch(`${service.internalUrl}/metrics`, {
    headers: { authorization: `Bearer ${INTERNAL_TOKEN}` },
  });
  const text = await response.text();
  const bytes = names.map((name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]));
  return bytes.reduce((sum, one) => sum + one, 0) / 1e6;
}

const HEAP = 'nodejs_heap_size_used_bytes';
const heapMb = (service: Service): Promise<number> => readMb(service, [HEAP]);

/** The heap in use and the buffers outside of it. */
export const heapAndBuffersMb = (service: Service): Promise<number> =>
  readMb(service, [HEAP, 'nodejs_external_memory_bytes']);

/** Resident memory in MB: now (`VmRSS`), or the most since the last reset (`VmHWM`). Linux only. */
export async function rssMb(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1e3;
}

interface Memory {
  readonly idleHeapMb: number;
  readonly peakHeapMb: number;
  readonly peakRssMb: number;
}

/** Samples heap and resident memory of the service until `work` ends. */
export async function watchMemory(service: Service, work: () => Promise<unknown>): Promise<Memory> {
  const idleHeapMb = await heapMb(service);
  let peakHeapMb = 0;
  let peakRssMb = 0;
  let running = true;
  const sampling = (async () => {
    while (running) {
      peakHeapMb = Math.max(peakHeapMb, await heapMb(service));
      peakRssMb = Math.max(peakRssMb, await rssMb(service.pid));
      await sleep(SAMPLE_MS);
    }
  })();
  try {
    await work();
  } finally {
    running = false;
    await sampling;
  }
  return { idleHeapMb, peakHeapMb, peakRssMb };
}
