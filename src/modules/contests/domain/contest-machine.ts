/** The states of a contest. Source: docs/design/contests.md. */
import { defineMachine } from '../../../kernel/machine.ts';

export const CONTEST_STATUSES = ['submitted', 'under_review', 'upheld', 'declined', 'withdrawn'] as const;
export type ContestStatus = (typeof CONTEST_STATUSES)[number];
/** What may be contested. */
export const CONTESTED_KINDS = ['performance', 'rating', 'feedback'] as const;
export type ContestedKind = (typeof CONTESTED_KINDS)[number];

const DECIDABLE = ['submitted', 'under_review', 'upheld', 'declined'] as const;
const NEWER = 'newer than the known decision';

export const contestMachine = defineMachine({
  name: 'contest',
  title: 'Contest of a rating, of feedback or of a figure',
  states: CONTEST_STATUSES,
  rows: [
    {
      event: 'submit',
      from: [],
      to: ['submitted'],
      by: 'seller',
      guard: 'in its window, once for each revision of its target, at most 20 undecided',
      emits: ['contest.submitted'],
    },
    {
      event: 'withdraw',
      from: ['submitted'],
      to: ['withdrawn'],
      by: 'seller',
      guard: null,
      emits: ['contest.withdrawn'],
    },
    {
      event: 'take_up',
      from: ['submitted'],
      to: ['under_review'],
      by: 'marketplace',
      guard: NEWER,
      emits: [],
    },
    {
      event: 'uphold',
      from: DECIDABLE,
      to: ['upheld'],
      by: 'marketplace',
      guard: `${NEWER}; the target stops counting`,
      emits: ['contest.decided'],
    },
    {
      event: 'decline',
      from: DECIDABLE,
      to: ['declined'],
      by: 'marketplace',
      guard: `${NEWER}; the target counts again`,
      emits: ['contest.decided'],
    },
  ],
});
