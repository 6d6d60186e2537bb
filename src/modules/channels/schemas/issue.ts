import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { DONE, sellerCalls, sellerOpens, type Waiting, waitingFields } from '../../../kernel/waiting.ts';
import { ISSUE_ACTIONS, ISSUE_KINDS, ISSUES } from '../domain/issue-kinds.ts';
import { ISSUE_STATES } from '../domain/words.ts';
import type { IssueRow } from '../store/issues.ts';

export const ISSUE = { kind: 'iss_', one: 'integration issue', title: 'IntegrationIssue' } as const;
export const IssueState = StringEnum(ISSUE_STATES, {
  title: 'IssueState',
  description: 'Whether somebody has to act',
});
export const IssueKindSchema = StringEnum(ISSUE_KINDS, {
  title: 'IssueKind',
  description: 'What somebody has to do',
});

const Conflict = Type.Object(
  {
    field: Type.String({ description: 'Field of the product' }),
    store: Nullable(Type.String({ description: 'Value in the store' })),
    here: Nullable(Type.String({ description: 'Value here' })),
    base: Nullable(Type.String({ description: 'Value last taken from the store' })),
  },
  { title: 'FieldConflict', description: 'A field that both sides changed.' },
);
const text = (description: string) => Type.Optional(Type.String({ description }));
const Facts = Type.Object(
  {
    reason: text('Why the store must be authorised again'),
    code: text('Why it was not applied'),
    detail: text('The same for people'),
    external_product_id: text('Product in the store'),
    external_variant_id: text('Variant in the store'),
    sku: text('SKU of the variant in the store'),
    title: text('Title of the variant in the store'),
    inventory_item_id: text('Item in the store'),
    location_id: text('Location in the store'),
    available: Type.Optional(Nullable(Type.Integer({ description: 'Units at the location' }))),
    fields: Type.Optional(Type.Array(Conflict, { description: 'Fields that both sides changed' })),
  },
  { title: 'IssueFacts', description: 'What the store said.' },
);
export type IssueFacts = Static<typeof Facts>;

const Candidate = Type.Object(
  {
    product_id: Nullable(Type.String({ description: 'A product here that it may be' })),
    seller_sku: Nullable(Type.String({ description: 'SKU of that product' })),
    reason: Type.String({ description: 'Why it may be this product' }),
    link_id: Type.Optional(Type.String({ description: 'Its link' })),
  },
  { title: 'IssueCandidate', description: 'A product that may be meant.' },
);

export const IssueActionSchema = StringEnum(ISSUE_ACTIONS, {
  title: 'IssueAction',
  description: 'What a member does about an issue',
});
export const Issue = Type.Object(
  {
    issue_id: Type.String({ description: 'Id of the issue, `iss_…`' }),
    kind: IssueKindSchema,
    severity: StringEnum(['action_required', 'warning'], { description: 'How urgent it is' }),
    state: IssueState,
    channel_id: Type.String({ description: 'The channel, `chn_…`' }),
    product_id: Nullable(Type.String({ description: 'The product that it is about, `prd_…`' })),
    facts: Facts,
    candidates: Type.Array(Candidate, { description: 'Products that may be meant' }),
    allowed: Type.Array(IssueActionSchema, { description: 'Actions that resolve it' }),
    ...waitingFields,
    first_seen_at: Instant({ description: 'When it was first seen' }),
    last_seen_at: Instant({ description: 'When it was last seen' }),
    times: Type.Integer({ description: 'How often it was seen' }),
    count: Type.Optional(
      Type.Integer({ description: 'In `integration_issue.opened`: how many of its kind the event is about' }),
    ),
    resolution: Nullable(Type.String({ description: 'How it ended' })),
    resolved_by: Nullable(Type.String({ description: 'The member who resolved it' })),
    version: Type.Integer({ description: 'Counts the changes, from 1' }),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: ISSUE.title, description: 'Something about a connected store that needs a person.' },
);
type WireIssue = Static<typeof Issue>;

function waitingOf({ kind, state, channel_id, issue_id }: IssueRow): Waiting {
  if (state !== 'open') return DONE;
  const { actions, text: what } = ISSUES[kind];
  if (actions.length > 0) return sellerCalls(`/api/v1/channels/issues/${issue_id}/resolve`, what);
  const channel = `/api/v1/channels/${channel_id}`;
  return kind === 'reauthorise_required'
    ? sellerCalls(`${channel}/reauthorise`, what)
    : sellerOpens(channel, what);
}

/** An issue as the API shows it. */
export function issueView(row: IssueRow): WireIssue {
  const { external_key: _, facts, candidates, ...shown } = row;
  const { severity, actions } = ISSUES[row.kind];
  return {
    ...shown,
    ...waitingOf(row),
    severity,
    facts: facts as IssueFacts,
    candidates: [...candidates],
    allowed: row.state === 'open' ? [...actions] : [],
  };
}

export const ISSUE_EXAMPLE: WireIssue = {
  issue_id: 'iss_01j0000000000000000000000',
  kind: 'reauthorise_required' as const,
  severity: 'action_required' as const,
  state: 'open' as const,
  channel_id: 'chn_01j0000000000000000000000',
  product_id: null,
  facts: { reason: 'token_rejected' },
  candidates: [],
  allowed: [],
  ...sellerCalls('/api/v1/channels/chn_01j0000000000000000000000/reauthorise', 'Authorise the store again.'),
  first_seen_at: '2026-06-28T01:00:00.000Z',
  last_seen_at: '2026-06-28T01:00:00.000Z',
  times: 1,
  resolution: null,
  resolved_by: null,
  version: 1,
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
};
