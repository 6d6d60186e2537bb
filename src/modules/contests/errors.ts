import { defineErrors } from '../../kernel/errors.ts';

export const contestErrors = defineErrors({
  contest_window_passed: {
    status: 409,
    detail: 'The time to contest this is over.',
    facts: { contest_until: '2026-09-26T01:00:00.000Z' },
  },
  contest_exists: {
    status: 409,
    detail: 'This was contested before; read that contest.',
    facts: { contest_id: 'cst_01j0000000000000000000000' },
  },
  contest_limit: {
    status: 409,
    detail: 'There are 20 contests without a decision; wait for decisions, or withdraw one.',
    facts: { limit: 20 },
  },
  reason_not_applicable: {
    status: 409,
    detail: 'A fact of the order contradicts this reason; "fact" names it. Choose another reason.',
    facts: { fact: { name: 'label_bought_here', value: false } },
  },
});
