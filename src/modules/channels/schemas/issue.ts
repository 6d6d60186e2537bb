import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { DONE, sellerCalls, waitingFields } from '../../../kernel/waiting.ts';
import { ISSUE_KINDS } from '../domain/issue-kinds.ts';
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

export const Issue = Type.Object(
  {
    issue_id: Type.String({ description: 'Id of the issue, `iss_…`' }),
    kind: IssueKindSchema,
    severity: StringEnum(['action_required', 'warning'], { description: 'How urgent it is' }),
    state: IssueState,
    channel_id: Type.String({ description: 'The channel, `chn_…`' }),
    facts: Type.Object(
      { reason: Type.String({ description: 'Why the store must be authorised again' }) },
      { title: 'IssueFacts', description: 'What the store said.' },
    ),
    ...waitingFields,
    first_seen_at: Instant({ description: 'When it was first seen' }),
    last_seen_at: Instant({ description: 'When it was last seen' }),
    times: Type.Integer({ description: 'How often it was seen' }),
    resolution: Nullable(Type.String({ description: 'How it ended' })),
    version: Type.Integer({ description: 'Counts the changes, from 1' }),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: ISSUE.title, description: 'Something about a connected store that needs a person.' },
);
export type WireIssue = Static<typeof Issue>;

/** An issue as the API shows it. */
export function issueView({ external_key: _, facts, ...row }: IssueRow): WireIssue {
  const waiting =
    row.state === 'open'
      ? sellerCalls(`/api/v1/channels/${row.channel_id}/reauthorise`, 'Authorise the store again.')
      : DONE;
  return { ...row, ...waiting, severity: 'action_required', facts: { reason: String(facts['reason']) } };
}

export const ISSUE_EXAMPLE: WireIssue = {
  issue_id: 'iss_01j0000000000000000000000',
  kind: 'reauthorise_required' as const,
  severity: 'action_required' as const,
  state: 'open' as const,
  channel_id: 'chn_01j0000000000000000000000',
  facts: { reason: 'token_rejected' },
  ...sellerCalls('/api/v1/channels/chn_01j0000000000000000000000/reauthorise', 'Authorise the store again.'),
  first_seen_at: '2026-06-28T01:00:00.000Z',
  last_seen_at: '2026-06-28T01:00:00.000Z',
  times: 1,
  resolution: null,
  version: 1,
  created_at: '2026-06-28T01:00:00.000Z',
  updated_at: '2026-06-28T01:00:00.000Z',
};
