import { defineEvent } from '../../kernel/events.ts';
import { REPORT_EXAMPLE, Report } from './schemas.ts';

export const searchEvents = {
  available: defineEvent({
    type: 'search.report_available',
    summary: 'The search report of a week has rows that can be read',
    schema: Report,
    id: 'period',
    example: REPORT_EXAMPLE,
  }),
};
