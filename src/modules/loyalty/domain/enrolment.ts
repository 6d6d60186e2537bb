/** The states of an enrolment. Source: docs/design/loyalty.md#enrolment. */
import { defineMachine, move } from '../../../kernel/machine.ts';

export const ENROLMENT_STATES = ['not_enrolled', 'requested', 'active', 'ending', 'refused'] as const;
export type EnrolmentState = (typeof ENROLMENT_STATES)[number];

export const enrolmentMachine = defineMachine({
  name: 'loyalty_enrolment',
  title: 'Enrolment in the loyalty program',
  states: ENROLMENT_STATES,
  rows: [
    move('request', ['not_enrolled', 'refused'], 'requested', 'seller', {
      guard: 'from tomorrow at the earliest, by the present terms',
      emits: ['loyalty.enrolment_changed'],
    }),
    move('accept', ['requested', 'not_enrolled', 'refused'], 'active', 'marketplace', {
      guard: 'the marketplace may also enrol the seller without a request',
      emits: ['loyalty.enrolment_decided'],
    }),
    move('refuse', 'requested', 'refused', 'marketplace', { emits: ['loyalty.enrolment_decided'] }),
    move('leave', 'active', 'ending', 'seller', {
      guard: 'with the notice of the terms',
      emits: ['loyalty.enrolment_changed'],
    }),
    move('end', ['active', 'ending'], 'not_enrolled', 'marketplace', {
      guard: 'orders that were placed before keep their terms',
      emits: ['loyalty.enrolment_decided'],
    }),
    move('expire', 'ending', 'not_enrolled', 'timer', {
      guard: 'on the day of the notice',
      emits: ['loyalty.enrolment_decided'],
    }),
  ],
});
