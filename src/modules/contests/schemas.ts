import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { CONTEST_STATUSES, CONTESTED_KINDS, contestMachine } from './domain/contest-machine.ts';
import { Facts, NO_FACTS } from './domain/facts.ts';
import type { ContestRow } from './store.ts';

const DETAIL_CHARS_MAX = 2_000;
const detail = (description: string) => Type.String({ maxLength: DETAIL_CHARS_MAX, description });

/** The body of a contest with the reasons of an area. */
export const contestInput = <const R extends readonly string[]>(title: string, reasons: R) =>
  Type.Object(
    {
      reason: StringEnum(reasons, { description: 'Why it should not count' }),
      detail: Type.Optional(detail('What the marketplace should know')),
    },
    { title, description: 'A contest.' },
  );

export const contestStatus = StringEnum(CONTEST_STATUSES, {
  title: 'ContestStatus',
  description: 'What became of the contest',
});

export const Contest = Type.Object(
  {
    contest_id: Type.String({ description: 'Id of the contest, `cst_…`' }),
    target: Type.Object(
      {
        kind: StringEnum(CONTESTED_KINDS, { title: 'ContestedKind', description: 'What it is' }),
        id: Type.String({ description: 'Its id' }),
      },
      { title: 'ContestTarget', description: 'What is contested.' },
    ),
    target_revision: Type.Integer({ description: 'How often it had been revised then' }),
    reason: Type.String({ description: 'Why it should not count' }),
    detail: Nullable(detail('What the seller says')),
    facts: Facts,
    status: contestStatus,
    submitted_at: Instant({ description: 'When it was contested' }),
    decided_at: Nullable(Instant({ description: 'When the marketplace decided; null before' })),
    decision: Nullable(
      Type.Object(
        {
          reason_code: Nullable(Type.String({ description: 'The marketplace’s code' })),
          detail: Nullable(Type.String({ description: 'Its explanation' })),
        },
        { title: 'ContestDecision', description: 'Why it was upheld or declined.' },
      ),
    ),
    allowed_actions: Type.Array(Type.String(), { description: 'What the seller can do now' }),
    version: Type.Integer(),
  },
  { title: 'Contest', description: 'What the seller says should not count, and the decision about it.' },
);
export type WireContest = Static<typeof Contest>;

export const CONTEST_EXAMPLE: WireContest = {
  contest_id: 'cst_01j0000000000000000000000',
  target: { kind: 'rating', id: 'rev_01j0000000000000000000000' },
  target_revision: 0,
  reason: 'wrong_order',
  detail: 'The text is about another shop.',
  facts: { ...NO_FACTS, order_id: 'ord_1002', stars: 1 },
  status: 'submitted',
  submitted_at: '2026-06-28T01:00:00.000Z',
  decided_at: null,
  decision: null,
  allowed_actions: ['withdraw'],
  version: 1,
};

export const toWireContest = (row: ContestRow): WireContest => ({
  contest_id: row.contest_id,
  target: { kind: row.target_kind, id: row.target_id },
  target_revision: row.target_revision,
  reason: row.reason,
  detail: row.detail,
  facts: { ...NO_FACTS, ...row.facts },
  status: row.status,
  submitted_at: row.created_at,
  decided_at: row.decided_at,
  decision: row.decided_at === null ? null : { reason_code: row.decision_code, detail: row.decision_detail },
  allowed_actions: contestMachine.eventsFrom(row.status, 'seller'),
  version: row.version,
});
