import { settleRowJob } from '../../platform/jobs/settle-row-job.ts';
import { DUE_JOB, settle } from './actions/moves.ts';
import { promotions } from './store.ts';

export const marketingJobs = [settleRowJob({ kind: DUE_JOB, table: promotions, settle })];
