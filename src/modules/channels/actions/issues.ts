import { canonicalJson } from '../../../kernel/canonical-json.ts';
import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import type { IssueCandidate } from '../domain/issue-kinds.ts';
import { channelEvents } from '../events.ts';
import { type IssueFacts, issueView } from '../schemas/issue.ts';
import { findIssue, type IssueKey, issues, openIssuesAbout } from '../store/issues.ts';
import { announce } from './announce-issue.ts';

interface About {
  readonly product_id?: string | null;
  readonly candidates?: readonly IssueCandidate[];
}

/** What changes with every sight of the same thing. */
const VOLATILE: ReadonlySet<string> = new Set(['available', 'location_id', 'detail']);
const essence = (facts: object, candidates: readonly IssueCandidate[]): string =>
  canonicalJson({
    facts: Object.fromEntries(Object.entries(facts).filter(([name]) => !VOLATILE.has(name))),
    products: candidates.map(({ product_id }) => product_id),
  });

/**
 * Opens an issue, or counts it once more. One that was resolved opens again; one that was ignored does, if something
 * else is said about the same thing.
 */
export async function openIssue(
  ctx: Acting,
  key: IssueKey,
  facts: IssueFacts,
  { product_id = null, candidates = [] }: About = {},
): Promise<string> {
  const at = ctx.at();
  const before = await findIssue(ctx, key);
  const open = { state: 'open', resolution: null, resolved_by: null } as const;
  const seen = { ...open, facts, product_id, candidates, last_seen_at: at };
  if (before === undefined) {
    const row = {
      ...key,
      ...seen,
      issue_id: ctx.ids.next('iss_'),
      ...{ times: 1, first_seen_at: at, version: 1, created_at: at, updated_at: at },
    };
    await issues.insert(ctx, row);
    await announce(ctx, row);
    return row.issue_id;
  }
  const times = before.times + 1;
  const ignored =
    before.state === 'ignored' && essence(before.facts, before.candidates) === essence(facts, candidates);
  if (ignored) return (await writeVersion(issues, ctx, before, { last_seen_at: at, times })).issue_id;
  const after = await writeVersion(issues, ctx, before, { ...seen, times });
  if (before.state !== 'open') await announce(ctx, after);
  return after.issue_id;
}

/** Resolves those of the issues that are open, with one look for all of them. */
export async function resolveOpen(
  ctx: Acting,
  channelId: string,
  keys: readonly IssueKey[],
  resolution: string,
): Promise<void> {
  if (keys.length === 0) return;
  const names = [...new Set(keys.map(({ external_key }) => external_key))];
  const open = await openIssuesAbout(ctx, channelId, names);
  for (const key of keys)
    if (open.has(`${key.kind}/${key.external_key}`)) await resolveIssue(ctx, key, resolution);
}

/** Resolves an open issue; does nothing if there is none. */
export async function resolveIssue(ctx: Acting, key: IssueKey, resolution: string): Promise<void> {
  const before = await findIssue(ctx, key);
  if (before?.state !== 'open') return;
  const after = await writeVersion(issues, ctx, before, { state: 'resolved', resolution });
  await ctx.emit(channelEvents.issueResolved.of(issueView(after)));
}
