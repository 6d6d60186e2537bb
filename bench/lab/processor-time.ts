/** Processor time of a process of Node and of its PostgreSQL. Other work of the machine changes it little. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** Milliseconds of a tick. */
const TICK_MS = 10;

export interface ProcessorTime {
  readonly node: number;
  readonly postgres: number;
}

interface Stat {
  readonly parent: number;
  /** Of the process, and of its children that have ended. */
  readonly own: number;
  readonly ended: number;
}

function readStat(pid: string | number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = (index: number): number => fields[index] ?? 0;
    return { parent: at(1), own: TICK_MS * (at(11) + at(12)), ended: TICK_MS * (at(13) + at(14)) };
  } catch {
    return undefined;
  }
}

/** Milliseconds since the start of both. */
async function processorTime(pid: number, client: pg.Client): Promise<ProcessorTime> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const server = readStat(rows[0]?.pid ?? 0)?.parent ?? 0;
  const { own = 0, ended = 0 } = readStat(server) ?? {};
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(name))
    .filter((stat) => stat?.parent === server);
  const postgres = children.reduce((sum, stat) => sum + (stat?.own ?? 0), own + ended);
  return { node: readStat(pid)?.own ?? 0, postgres };
}

/** The processor time of some work, in milliseconds. */
export async function timed<T>(
  pid: number,
  client: pg.Client,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly spent: ProcessorTime }> {
  const before = await processorTime(pid, client);
  const done = await work();
  const after = await processorTime(pid, client);
  return {
    done,
    spent: { node: after.node - before.node, postgres: after.postgres - before.postgres },
  };
}

/** Node and PostgreSQL in microseconds for each of a number, and both together. */
export function perPiece(spent: readonly ProcessorTime[], count: number): { both: number; text: string } {
  const sum = (of: (one: ProcessorTime) => number): number =>
    (1_000 * spent.reduce((total, one) => total + of(one), 0)) / count;
  const [node, postgres] = [sum((one) => one.node), sum((one) => one.postgres)];
  return { both: node + postgres, text: `Node ${node.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)} µs` };
}
