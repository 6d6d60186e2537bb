import { defineEvent } from '../../kernel/events.ts';
import { SCHEDULE_EXAMPLE, ScheduleSchema } from './schemas/schedule.ts';

export const feeScheduleChanged = defineEvent({
  type: 'fee_schedule.changed',
  summary:
    'The marketplace published rates in the seller’s currency; they count from `effective_from` on, and orders that were accepted before keep theirs',
  schema: ScheduleSchema,
  id: 'fee_schedule_version',
  example: SCHEDULE_EXAMPLE,
  notification: {
    severity: 'info',
    title: 'New fees count from {effective_from} on',
    href: '/fees/schedule',
  },
});
