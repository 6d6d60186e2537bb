/** The states of a contest. Source: docs/design/contests.md. */
import { defineMachine, move } from '../../../kernel/machine.ts';

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
    move('submit', [], 'submitted', 'seller', {
      guard: 'in its window, once for each revision of its target, at most 20 undecided',
      emits: ['contest.submitted'],
    }),
    move('withdraw', 'submitted', 'withdrawn', 'seller', { emits: ['contest.withdrawn'] }),
    move('take_up', 'submitted', 'under_review', 'marketplace', { guard: NEWER }),
    move('uphold', DECIDABLE, 'upheld', 'marketplace', {
      guard: `${NEWER}; the target stops counting`,
      emits: ['contest.decided'],
    }),
    move('decline', DECIDABLE, 'declined', 'marketplace', {
      guard: `${NEWER}; the target counts again`,
      emits: ['contest.decided'],
    }),
  ],
});
