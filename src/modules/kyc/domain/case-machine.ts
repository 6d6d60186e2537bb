/** The states of the verification of a seller's identity. Source: docs/design/standing.md#identity. */
import { defineMachine } from '../../../kernel/machine.ts';

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
    { event: 'require', from: [], to: ['collecting'], by: 'marketplace', guard: null, emits: [] },
    {
      event: 'require',
      from: ['not_required', 'collecting', 'submitted', 'in_review', 'more_info_required'],
      to: ['collecting', 'submitted', 'in_review', 'more_info_required'],
      by: 'marketplace',
      guard: 'an open case takes the deadline and the items of the newest call; items with documents stay',
      emits: [],
    },
    {
      event: 'reopen',
      from: ['rejected', 'approved'],
      to: ['collecting'],
      by: 'marketplace',
      guard: 'begins the next round',
      emits: [],
    },
    { event: 'waive', from: [], to: ['not_required'], by: 'marketplace', guard: null, emits: [] },
    {
      event: 'waive',
      from: ['not_required', 'collecting', ...UNDER_REVIEW, 'more_info_required', 'rejected'],
      to: ['not_required'],
      by: 'marketplace',
      guard: null,
      emits: [],
    },
    {
      event: 'submit',
      from: ['collecting', 'more_info_required'],
      to: ['submitted'],
      by: 'seller',
      guard: 'every open item has its documents',
      emits: ['kyc.submitted'],
    },
    {
      event: 'start_review',
      from: UNDER_REVIEW,
      to: ['in_review'],
      by: 'marketplace',
      guard: 'of the present round',
      emits: [],
    },
    decision('approve', 'approved', 'kyc.approved'),
    decision('ask_again', 'more_info_required', 'kyc.more_info_required'),
    decision('reject', 'rejected', 'kyc.rejected'),
    {
      event: 'expire',
      from: ['approved'],
      to: ['more_info_required'],
      by: 'timer',
      guard: 'on `expires_on`; every item is asked for again',
      emits: ['kyc.more_info_required'],
    },
  ],
});
