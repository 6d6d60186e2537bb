import Type from 'typebox';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { waitingFields } from '../../kernel/waiting.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { shownTag } from '../../platform/http/etag.ts';
import { reads } from '../../platform/rest/access.ts';
import type { HandlerCtx } from '../../platform/services.ts';
import { hasStorePlatform } from '../channels/index.ts';
import { asksForAccount } from '../payouts/index.ts';
import { asksRegister } from '../sellers/index.ts';
import { type Facts, progressOf, STEP_KEYS, STEP_STATUSES, stepOf } from './domain/steps.ts';
import { readFacts } from './store.ts';

const CONTRACT = 'onboarding.progress.v1';
const access = reads('settings', 'setup');

const Key = StringEnum(STEP_KEYS, { title: 'OnboardingKey', description: 'Name of a step' });
const Step = Type.Object(
  {
    key: Key,
    title: Type.String({ description: 'What holds when the step is done' }),
    required: Type.Boolean({ description: 'Whether the step counts' }),
    status: StringEnum(STEP_STATUSES, {
      title: 'OnboardingStatus',
      description: '`blocked`: another step comes first; `not_applicable`: the seller does not have the step',
    }),
    facts: Type.Array(
      Type.Object({
        fact: Type.String({ description: 'Name of the fact' }),
        holds: Type.Boolean({ description: 'Whether it is the case now' }),
      }),
      { description: 'The step is done while all of them hold' },
    ),
    blocked_by: Type.Array(Key, { description: 'Steps that come first' }),
    ...waitingFields,
    done_at: Nullable(Instant({ description: 'Since when, where the facts say so' })),
  },
  { title: 'OnboardingStep', description: 'A step of the setup, computed from facts.' },
);

const Progress = Type.Object(
  {
    ready_to_sell: Type.Boolean({ description: 'Every required step but the payout account is done' }),
    ready_for_payout: Type.Boolean({
      description: 'Account, agreement, identity and payout account are done',
    }),
    missing: Type.Array(Key, { description: 'Required steps that are not done' }),
    progress: Type.Object(
      {
        done: Type.Integer({ description: 'Required steps that are done' }),
        of: Type.Integer({ description: 'Required steps that the seller has' }),
        percent: Type.Integer({ description: 'Rounded down: 100 only when nothing is missing' }),
      },
      { title: 'OnboardingCount', description: 'How much is done.' },
    ),
    next: Nullable(Key),
    steps: Type.Array(Step, { description: 'All steps in their order' }),
    generated_at: Instant(),
    facts_through_on: Type.Null({ description: 'Days play no part' }),
    cache_status: StringEnum(['live'], { description: 'Computed for this answer' }),
    source_contract: Type.String(),
    semantic_status: StringEnum(['complete'], { description: 'All facts are known' }),
    status_reason: Type.Null({ description: 'There is none' }),
    missing_components: Type.Array(Type.String()),
  },
  { title: 'Onboarding', description: 'The way from the registration to the first payout.' },
);

/** What a seller has that waits for the marketplace alone. */
const EXAMPLE_FACTS: Facts = {
  ...{ active: true, verified: true, api_access: true },
  ...{
    agreement_published: true,
    agreement_accepted_at: '2026-07-02T01:00:00.000Z',
    agreement_overdue: false,
  },
  ...{ legal_name: true, entity_type: true, abn: true, address: true },
  ...{ register_configured: true, verdict: 'verified', verified_at: '2026-07-02T01:10:00.000Z' },
  ...{ dispatch_address: true, active_product: true, visible_product: false },
  ...{ active_endpoint: false, delivered: false },
  ...{ identity_status: null, identity_decided_at: null, payout_account: null },
  ...{ payout_due: false, store_connected: null },
};

const frameOf = (generated_at: string) => ({
  generated_at,
  facts_through_on: null,
  cache_status: 'live' as const,
  source_contract: CONTRACT,
  semantic_status: 'complete' as const,
  status_reason: null,
  missing_components: [],
});

async function factsOf(ctx: HandlerCtx): Promise<Facts> {
  const { agreement_due_at: due, payout_account, store_connected, ...known } = await readFacts(ctx);
  return {
    ...known,
    agreement_overdue: due !== null && Date.parse(due) <= ctx.now(),
    register_configured: asksRegister(ctx.config),
    payout_account: asksForAccount(ctx.config) ? (payout_account ?? 'not_started') : null,
    store_connected: hasStorePlatform(ctx.config) ? store_connected : null,
  };
}

const progress = defineRoute({
  id: 'onboarding.get',
  method: 'GET',
  path: '',
  summary: 'What is done and what is missing, from the registration to the first payout',
  description:
    'Every read computes the steps from facts. So no route completes a step, and a step whose facts no longer hold is open again. A step that is not done names who must act, and the call that does it.',
  access,
  ok: okJson('The steps', Progress, { ...progressOf(EXAMPLE_FACTS), ...frameOf('2026-07-03T00:00:00.000Z') }),
  errors: [],
  handler: async (ctx) => ({ body: { ...progressOf(await factsOf(ctx)), ...frameOf(ctx.at()) } }),
});

const step = defineRoute({
  id: 'onboarding.steps.get',
  method: 'GET',
  path: '/steps/{key}',
  summary: 'Read a step',
  description: 'The same as in the list.',
  access,
  params: Type.Object({ key: Type.String({ description: 'Name of the step' }) }),
  ok: okJson('The step', Step, stepOf('first_visible_product', EXAMPLE_FACTS)),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params }) => {
    const key = STEP_KEYS.find((known) => known === params.key);
    if (key === undefined) throw fail(coreErrors.not_found);
    const body = stepOf(key, await factsOf(ctx));
    return { body, etag: shownTag(key, body) };
  },
});

export const onboardingRoutes = [progress, step];
