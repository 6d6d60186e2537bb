/** During an outage every request fails for the same reason. One line a second for each reason says it. */

const EVERY_MS = 1_000;
/** Reasons that are remembered; with more of them all are forgotten. */
const REASONS_MAX = 100;

/** @returns how many lines of the reason were left out since its last one; undefined if this one is left out too */
export type Throttle = (reason: string) => number | undefined;

export function createThrottle(systemNow: () => number): Throttle {
  const written = new Map<string, { readonly at: number; omitted: number }>();
  return (reason) => {
    const last = written.get(reason);
    if (last !== undefined && systemNow() - last.at < EVERY_MS) {
      last.omitted += 1;
      return undefined;
    }
    if (written.size >= REASONS_MAX) written.clear();
    written.set(reason, { at: systemNow(), omitted: 0 });
    return last?.omitted ?? 0;
  };
}
