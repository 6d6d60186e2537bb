/** Deadlines of tickets, and the end of their texts. */
import { acting } from '../../platform/acting.ts';
import { forgetTextsJob } from '../../platform/attachments/forget-texts.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { passTicketTime, TIMER_JOB } from './actions/change-ticket.ts';
import { forgetTicket } from './actions/erase-texts.ts';
import { oldTickets } from './store/tables.ts';

/**
 * Gives the warnings of one ticket that are due, and breaches its overdue clocks. The write plans the next
 * job.
 */
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

const forget = forgetTextsJob({
  kind: 'customer_service.forget_texts',
  ended: oldTickets,
  forget: forgetTicket,
});

export const ticketJobs = [timers, forget];
