/** The order in which the jobs of a manual clock run. */
import type { ClaimedJob } from './job.ts';

/** By due instant, then in the order in which they were added. */
export function byInstant(a: ClaimedJob, b: ClaimedJob): number {
  if (a.due_at !== b.due_at) return a.due_at < b.due_at ? -1 : 1;
  return a.job_id < b.job_id ? -1 : 1;
}

/** Jobs that are due at one instant and may run at the same time; one that may not is alone. */
export function ofOneInstant(
  jobs: readonly ClaimedJob[],
  keyOf: (job: ClaimedJob) => string | null,
): ClaimedJob[][] {
  const groups: ClaimedJob[][] = [];
  for (const job of jobs) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isTogether = first?.due_at === job.due_at && keyOf(first) !== null && keyOf(job) !== null;
    if (isTogether) group?.push(job);
    else groups.push([job]);
  }
  return groups;
}
