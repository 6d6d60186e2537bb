/** The jobs of payouts. They have work only if the provider sends money itself. */
import { nextTimeOfDay } from '../../kernel/australia/sydney.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import { beginDue, follow, TRANSFER_JOB, transfer } from './actions/send-due.ts';
import type { PayoutProvider } from './adapters/provider.ts';

/** In Sydney, on the morning of the day on which payouts are expected. */
const SEND_TIME = { hour: 6, minute: 0 };
const FOLLOW_EVERY_MS = 3_600_000;

export const payoutJobs = (provider: PayoutProvider) => [
  defineJob({
    kind: 'payouts.send_due',
    recurring: true,
    async handler(services) {
      if (provider.transfers === null) return undefined;
      await beginDue(services, provider);
      return { againAt: nextTimeOfDay(services.now(), SEND_TIME) };
    },
  }),
  defineJob({
    kind: TRANSFER_JOB,
    recurring: false,
    async handler(services, { seller_id, payload }) {
      await transfer(services, provider, seller_id ?? '', String(payload['payout_id']));
      return undefined;
    },
  }),
  defineJob({
    kind: 'payouts.follow',
    recurring: true,
    async handler(services) {
      if (provider.transfers === null) return undefined;
      await follow(services, provider);
      return runAgain(services, FOLLOW_EVERY_MS);
    },
  }),
];
