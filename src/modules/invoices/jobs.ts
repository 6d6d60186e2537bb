import { defineJob } from '../../platform/jobs/define-job.ts';
import { operatorOf } from '../settlements/index.ts';
import { RENDER_JOB } from './actions/issue-invoices.ts';
import { renderInvoices } from './actions/render-invoices.ts';
import { canRender } from './domain/invoice.ts';
import { invoiceSettings } from './settings.ts';
import { settlementsWithoutPdf } from './store/invoices.ts';

const AGAIN_EVERY_MS = 3_600_000;
const SETTLEMENTS_MAX = 500;

const render = defineJob({
  kind: RENDER_JOB,
  recurring: false,
  async handler(services, job) {
    await renderInvoices(services, job.seller_id ?? '', String(job.payload['settlement_id']));
    return undefined;
  },
});

/** Makes files that could not be made when they were due, for example because the operator's ABN was missing. */
const renderMissing = defineJob({
  kind: 'financials.render_missing_invoices',
  recurring: true,
  catchesUp: true,
  async handler(services) {
    const { withSystemLong, config, jobs, now } = services;
    const able = canRender(operatorOf(config), invoiceSettings.of(config).OPERATOR_GST_MODE);
    await withSystemLong('jobs', 'write', async (db) => {
      const missing = await settlementsWithoutPdf(db, able, SETTLEMENTS_MAX);
      for (const { seller_id, settlement_id } of missing)
        await jobs.add(db, {
          kind: RENDER_JOB,
          sellerId: seller_id,
          payload: { settlement_id },
          uniqueKey: settlement_id,
          dueAt: now(),
        });
    });
    return { againAt: services.now() + AGAIN_EVERY_MS };
  },
});

export const invoiceJobs = [render, renderMissing];
