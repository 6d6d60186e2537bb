/** The states of an enrolment. Source: docs/design/loyalty.md#enrolment. */
import { defineMachine } from '../../../kernel/machine.ts';

export const ENROLMENT_STATES = ['not_enrolled', 'requested', 'active', 'ending', 'refused'] as const;
export type EnrolmentState = (typeof ENROLMENT_STATES)[number];

export const enrolmentMachine = defineMachine({
  name: 'loyalty_enrolment',
  title: 'Enrolment in the loyalty program',
  states: ENROLMENT_STATES,
  rows: [
    {
      event: 'request',
      from: ['not_enrolled', 'refused'],
      to: ['requested'],
      by: 'seller',
      guard: 'from tomorrow at the earliest, by the present terms',
      emits: ['loyalty.enrolment_changed'],
    },
    {
      event: 'accept',
      from: ['requested', 'not_enrolled', 'refused'],
      to: ['active'],
      by: 'marketplace',
      guard: 'the marketplace may also enrol the seller without a request',
      emits: ['loyalty.enrolment_decided'],
    },
    {
      event: 'refuse',
      from: ['requested'],
      to: ['refused'],
      by: 'marketplace',
      guard: null,
      emits: ['loyalty.enrolment_decided'],
    },
    {
      event: 'leave',
      from: ['active'],
      to: ['ending'],
      by: 'seller',
      guard: 'with the notice of the terms',
      emits: ['loyalty.enrolment_changed'],
    },
    {
      event: 'end',
      from: ['active', 'ending'],
      to: ['not_enrolled'],
      by: 'marketplace',
      guard: 'orders that were placed before keep their terms',
      emits: ['loyalty.enrolment_decided'],
    },
    {
      event: 'expire',
      from: ['ending'],
      to: ['not_enrolled'],
      by: 'timer',
      guard: 'on the day of the notice',
      emits: ['loyalty.enrolment_decided'],
    },
  ],
});
