/** Reads of the activity log, and the work that keeps its chain. The platform writes the entries. */
import { defineModule } from '../../kernel/route.ts';
import { gauges } from '../../platform/audit/gauges.ts';
import { createSealer } from '../../platform/audit/seal-entries.ts';
import { defineLoop } from '../../platform/jobs/define-loop.ts';
import { checkpoint } from './events.ts';
import { auditJobs } from './jobs.ts';
import { auditRoutes } from './routes.ts';
import { auditSettings } from './settings.ts';

export const auditModule = defineModule({
  name: 'audit',
  base: '/audit',
  title: 'Audit',
  summary: 'Activity-log reads where enabled',
  availability: 'available',
  accountGated: true,
  ids: ['aud_'],
  systemReasons: ['seal-activity'],
  settings: auditSettings,
  events: [checkpoint],
  gauges,
  jobs: auditJobs,
  loops: [defineLoop({ name: 'audit.sealer', create: createSealer })],
  routes: auditRoutes,
});
