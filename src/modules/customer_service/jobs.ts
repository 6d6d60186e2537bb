/** Deadlines of tickets, and the end of their texts. */
import { acting } from '../../platform/acting.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { passTicketTime, TIMER_JOB } from './actions/change-ticket.ts';
import { forgetTicket } from './actions/erase-texts.ts';
import { ticketSettings } from './settings.ts';
import { endedTickets } from './store/tables.ts';

const DAY_MS = 86_400_000;
const AT_ONCE = 100;

/** Runs what time has changed about one ticket. The change plans the job of the next instant. */
const timers = defineJob({
  kind: TIMER_JOB,
  recurring: false,
  async handler(services, { seller_id, payload }) {
    if (seller_id !== null)
      await services.withSeller(seller_id, 'write', (db) =>
        passTicketTime(acting(services, { db, seller_id }), String(payload['ticket_id'])),
      );
    return undefined;
  },
});

const forget = defineJob({
  kind: 'customer_service.forget_texts',
  recurring: true,
  catchesUp: true,
  async handler(services, _job, signal) {
    const { now, config } = services;
    const kept = ticketSettings.of(config).CONVERSATION_RETENTION_DAYS * DAY_MS;
    const before = new Date(now() - kept).toISOString();
    for (let found = AT_ONCE; found === AT_ONCE && !signal.aborted; ) {
      const ended = await services.withSystem('retention', 'read', (db) => endedTickets(db, before, AT_ONCE));
      for (const { seller_id, ticket_id } of ended)
        await services.withSellerLong(seller_id, 'write', (db) =>
          forgetTicket(acting(services, { db, seller_id }), ticket_id),
        );
      found = ended.length;
    }
    return { againAt: now() + DAY_MS };
  },
});

export const ticketJobs = [timers, forget];
