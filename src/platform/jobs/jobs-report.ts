/** The state of jobs, events and webhooks as text, for operators. */
import type { ModuleDef } from '../../kernel/route.ts';
import { systemNow } from '../db/clock.ts';
import type { WithSystem } from '../db/scope.ts';
import { gaugesOf, LATE_AFTER_MS } from '../log/metrics.ts';
import { jobsByKind, type KindState, retryFailed } from './job-statements.ts';

const HEAD = ['job', 'waiting', 'running', 'late', 'failed', 'attempts', 'first due', 'last error'];

/** Columns as wide as their widest text. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

const rowOf = ({ kind, last_error, first_due, ...counts }: KindState): string[] => [
  kind,
  ...[counts.waiting, counts.running, counts.late, counts.failed, counts.attempts].map(String),
  first_due,
  (last_error ?? '').split('\n', 1)[0] ?? '',
];

/** The jobs by kind, and what each scrape of the metrics reads from the database. */
export async function reportJobs(withSystem: WithSystem, modules: readonly ModuleDef[]): Promise<string> {
  const now = systemNow();
  const jobs = await withSystem('jobs', 'read', (db) => db.all(jobsByKind(now, now - LATE_AFTER_MS)));
  const gauges: string[][] = [];
  for (const { name, label, read } of gaugesOf(modules)) {
    const rows = await withSystem('metrics', 'read', (db) => db.all(read(now)));
    for (const row of rows) gauges.push([name, `${label} ${row.label}`, String(row.value)]);
  }
  return [...aligned([HEAD, ...jobs.map(rowOf)]), '', ...aligned(gauges)].join('\n');
}

/** Makes the failed jobs of a kind due now. @returns a sentence for the operator */
export async function retryJobs(withSystem: WithSystem, kind: string): Promise<string> {
  const count = await withSystem('jobs', 'write', (db) => db.run(retryFailed(kind, systemNow())));
  return count === 0
    ? `No failed job of the kind ${JSON.stringify(kind)} waits; "jobs" lists the kinds.`
    : `${count} failed ${count === 1 ? 'job is' : 'jobs are'} due now; a worker tries within a second.`;
}
