import { settleRowJob } from '../../platform/jobs/settle-row-job.ts';
import { DUE_JOB, settle } from './actions/settle.ts';
import { rfqs } from './store.ts';

export const sourcingJobs = [settleRowJob({ kind: DUE_JOB, table: rfqs, settle })];
