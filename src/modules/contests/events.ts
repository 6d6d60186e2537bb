import Type from 'typebox';
import { defineEvent, type EventOf } from '../../kernel/events.ts';
import { CONTEST_EXAMPLE, Contest, type WireContest } from './schemas.ts';

const { allowed_actions: _actions, ...example } = CONTEST_EXAMPLE;
const { allowed_actions: _field, ...fields } = Contest.properties;
const schema = Type.Object(fields, { title: 'ContestFact', description: 'A contest, as events have it.' });

type Told = Pick<Parameters<typeof defineEvent>[0], 'type' | 'summary' | 'marketplace' | 'notification'>;
/** An event about a contest as the API shows it. */
function contestEvent(told: Told): EventOf<WireContest> {
  const event = defineEvent({ ...told, schema, id: 'contest_id', example });
  return { ...event, of: ({ allowed_actions: _, ...fact }, more) => event.of(fact, more) };
}

export const contestEvents = {
  submitted: contestEvent({
    type: 'contest.submitted',
    summary: 'The seller contests a rating, feedback or a figure',
    marketplace: true,
  }),
  withdrawn: contestEvent({
    type: 'contest.withdrawn',
    summary: 'The seller has withdrawn a contest',
    marketplace: true,
  }),
  decided: contestEvent({
    type: 'contest.decided',
    summary: 'The marketplace has decided about a contest',
    notification: { severity: 'info', title: 'Your contest ({target.kind}) was {status}' },
  }),
};
