import { pollUntil } from './poll-until.ts';
import { isAlive } from './postmaster.ts';

const POLL_MS = 20;
/** With the service's own draining before it, the whole ends within 10 s. */
const FAST_LIMIT_MS = 5_000;
const IMMEDIATE_LIMIT_MS = 1_500;

/**
 * Ends a server: fast (sessions are cut, everything is written out), and when that takes too long at once,
 * which loses nothing either: the next start replays the log.
 *
 * @returns whether it ended
 */
export async function stopServer(pid: number): Promise<boolean> {
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_LIMIT_MS],
    ['SIGQUIT', IMMEDIATE_LIMIT_MS],
  ] as const) {
    if (!send(pid, signal)) return true;
    const ended = await pollUntil(() => (isAlive(pid) ? undefined : true), { everyMs: POLL_MS, limitMs });
    if (ended) return true;
  }
  return !isAlive(pid);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
