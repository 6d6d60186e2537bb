import type { CounterDef } from '../../kernel/route.ts';

/** The job that works the callbacks of one object of the provider. */
export const CALLBACK_JOB = 'payouts.callback';

export const CALLBACKS: CounterDef = {
  name: 'spp_payment_callbacks_total',
  help: 'Callbacks of the payment provider by what was decided about them',
  label: 'decision',
};
export const EXCEPTIONS: CounterDef = {
  name: 'spp_payout_exceptions_total',
  help: 'Movements at the payment provider that a person must look at',
  label: 'kind',
};
