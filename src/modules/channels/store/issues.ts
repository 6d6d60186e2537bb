/** Integration issues: what a person must solve, one open issue for each thing. */
import { instant, integer, json, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { IssueCandidate, IssueKind } from '../domain/issue-kinds.ts';
import type { ISSUE_STATES } from '../domain/words.ts';

export const issues = defineTable('integration_issue', 'issue_id', {
  channel_id: text,
  kind: textOf<IssueKind>(),
  external_key: text,
  state: textOf<(typeof ISSUE_STATES)[number]>(),
  facts: json<Readonly<Record<string, unknown>>>(),
  product_id: nullable(text),
  candidates: json<readonly IssueCandidate[]>(),
  times: integer,
  resolution: nullable(text),
  resolved_by: nullable(text),
  first_seen_at: instant,
  last_seen_at: instant,
});
export type IssueRow = RowIn<typeof issues>;

/** When the seller was last told about issues of a kind. */
export const notices = defineTable('integration_issue_notice', ['channel_id', 'kind'], {
  channel_id: text,
  kind: textOf<IssueKind>(),
  told_at: instant,
  /** Issues that opened since. */
  waiting: integer,
});

export const newestOpen = (
  at: SellerDb,
  { channel_id, kind }: Pick<IssueRow, 'channel_id' | 'kind'>,
): Promise<IssueRow | undefined> =>
  issues.one(
    at,
    part`channel_id = ${channel_id} and kind = ${kind} and state = 'open' order by last_seen_at desc limit 1`,
  );

/** Open issues about deliveries that were given up, other than those about products and orders. */
export const givenUp = (at: SellerDb, channelId: string): Promise<IssueRow[]> =>
  issues.all(
    at,
    part`channel_id = ${channelId} and kind = 'not_applied' and state = 'open'
       and facts ->> 'code' = 'gave_up' and external_key !~ '^(product|order):'`,
  );

/** What an issue is about. */
export interface IssueKey {
  readonly channel_id: string;
  readonly kind: IssueKind;
  readonly external_key: string;
}

export const findIssue = (
  at: SellerDb,
  { channel_id, kind, external_key }: IssueKey,
): Promise<IssueRow | undefined> =>
  issues.one(
    at,
    part`channel_id = ${channel_id} and kind = ${kind} and external_key = ${external_key} for update`,
  );

/** The open issues about some things of a channel, as `kind/external_key`. */
export async function openIssuesAbout(
  { db, seller_id }: SellerDb,
  channelId: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.all(statement({ kind: text, external_key: text })`
    select kind, external_key
      from integration_issue
     where seller_id = ${seller_id}
       and channel_id = ${channelId}
       and external_key = any(${keys})
       and state = 'open'`);
  return new Set(rows.map(({ kind, external_key }) => `${kind}/${external_key}`));
}

/** Fields of variants that wait for a person; of one channel or of all. */
export const openConflicts = (
  at: SellerDb,
  channelId: string | undefined,
  keys: readonly string[],
): Promise<IssueRow[]> =>
  issues.all(
    at,
    part`
        kind = 'field_conflict'
        and external_key = any(${keys})
        and state = 'open'
        and ${allOf(channelId !== undefined && part`channel_id = ${channelId}`)}`,
  );

/** Erases what the issues of a channel say about the store. @returns those that are open */
export async function eraseIssues(at: SellerDb, channelId: string): Promise<IssueRow[]> {
  const nothing = part`facts = '{}', candidates = '[]', version = version + 1`;
  await issues.change(at, nothing, part`channel_id = ${channelId}`);
  return issues.all(at, part`channel_id = ${channelId} and state = 'open'`);
}

export const countOpenIssues = (at: SellerDb, channelId: string): Promise<number> =>
  issues.count(at, part`channel_id = ${channelId} and state = 'open'`);
