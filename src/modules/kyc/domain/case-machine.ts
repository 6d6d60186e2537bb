/** The states of the verification of a seller's identity. Source: docs/design/standing.md#identity. */
import { defineMachine, move } from '../../../kernel/machine.ts';

export const CASE_STATUSES = [
  'not_required',
  'collecting',
  'submitted',
  'in_review',
  'more_info_required',
  'approved',
  'rejected',
] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

const UNDER_REVIEW = ['submitted', 'in_review'] as const;
const decision = (event: 'approve' | 'ask_again' | 'reject', to: CaseStatus, emits: string) => ({
  event,
  from: UNDER_REVIEW,
  to: [to],
  by: 'marketplace' as const,
  guard: 'of the present round',
  emits: [emits],
});

export const caseMachine = defineMachine({
  name: 'kyc_case',
  title: 'Verification of identity',
  states: CASE_STATUSES,
  rows: [
    move('require', [], 'collecting', 'marketplace'),
    move(
      'require',
      ['not_required', 'collecting', 'submitted', 'in_review', 'more_info_required'],
      ['collecting', 'submitted', 'in_review', 'more_info_required'],
      'marketplace',
      {
        guard: 'an open case takes the deadline and the items of the newest call; items with documents stay',
      },
    ),
    move('reopen', ['rejected', 'approved'], 'collecting', 'marketplace', { guard: 'begins the next round' }),
    move('waive', [], 'not_required', 'marketplace'),
    move(
      'waive',
      ['not_required', 'collecting', ...UNDER_REVIEW, 'more_info_required', 'rejected'],
      'not_required',
      'marketplace',
    ),
    move('submit', ['collecting', 'more_info_required'], 'submitted', 'seller', {
      guard: 'every open item has its documents',
      emits: ['kyc.submitted'],
    }),
    move('start_review', UNDER_REVIEW, 'in_review', 'marketplace', { guard: 'of the present round' }),
    decision('approve', 'approved', 'kyc.approved'),
    decision('ask_again', 'more_info_required', 'kyc.more_info_required'),
    decision('reject', 'rejected', 'kyc.rejected'),
    move('expire', 'approved', 'more_info_required', 'timer', {
      guard: 'on `expires_on`; every item is asked for again',
      emits: ['kyc.more_info_required'],
    }),
  ],
});
