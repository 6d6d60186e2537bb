import { isAlive } from './postmaster.ts';

/** An adopted server is nobody's child, so its end is not told: it has to be looked for. */
const LOOK_EVERY_MS = 1_000;

/** Watches a process without keeping this one running. */
export function watch(pid: number): { lost: Promise<string>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      if (isAlive(pid)) return;
      clearInterval(timer);
      resolve(`The embedded PostgreSQL (process ${pid}) has ended.`);
    }, LOOK_EVERY_MS);
    timer.unref();
  });
  return { lost, cancel: () => clearInterval(timer) };
}
