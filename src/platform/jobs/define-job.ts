import type { AnyJob } from '../../kernel/route.ts';
import type { Services } from '../services.ts';
import type { ClaimedJob } from './job-statements.ts';
import type { JobHandler } from './jobs.ts';

interface JobDef {
  readonly kind: string;
  readonly recurring: boolean;
  readonly handler: (services: Services, job: ClaimedJob, signal: AbortSignal) => ReturnType<JobHandler>;
}

/** Declares a kind of job of a module; handlers must be safe to run twice. */
export function defineJob(job: JobDef): AnyJob {
  return job as AnyJob;
}

/** Registers a declared kind of job with the worker. */
export function registerJob(services: Services, job: AnyJob): void {
  const { handler } = job as JobDef;
  services.jobs.handle(job.kind, (claimed, signal) => handler(services, claimed, signal));
}
