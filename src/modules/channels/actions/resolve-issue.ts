/** What a member decides about an issue. Source: docs/design/channels.md#issues. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { fail, invalid } from '../../../kernel/errors.ts';
import { refuseOverdue } from '../../../kernel/standing.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { type FeedRow, writeStoreRows } from '../../products/index.ts';
import { isFollowed } from '../domain/channel-machine.ts';
import { patchOf } from '../domain/field-texts.ts';
import { ISSUES, type IssueAction } from '../domain/issue-kinds.ts';
import type { FieldTexts, MergedFieldName } from '../domain/link-words.ts';
import { channelErrors } from '../errors.ts';
import { channelEvents } from '../events.ts';
import { type IssueFacts, issueView } from '../schemas/issue.ts';
import type { ChannelRow } from '../store/channels.ts';
import { type IssueRow, issues } from '../store/issues.ts';
import { type LinkRow, linkOfExternal, links } from '../store/links.ts';
import { askAgain, linkTo } from './link-variant.ts';
import { askForLevel } from './look-at-levels.ts';
import { planJob } from './plan-job.ts';
import { PREPARE_JOB } from './prepare-channel.ts';
import { rowOf } from './product-changes.ts';

interface Resolve {
  readonly action: IssueAction;
  readonly product_id?: string | undefined;
  readonly fields?: readonly MergedFieldName[] | undefined;
}

interface Resolving {
  readonly ctx: SellerCtx;
  readonly channel: ChannelRow;
  readonly issue: IssueRow;
  readonly facts: IssueFacts;
  readonly asked: Resolve;
}

/** @returns the change of the issue */
type Run = (work: Resolving) => Promise<Partial<IssueRow>>;

const notPossible = ({ issue }: Pick<Resolving, 'issue'>, detail?: string) =>
  fail(channelErrors.action_not_possible, {
    facts: { allowed: [...ISSUES[issue.kind].actions] },
    ...(detail !== undefined && { detail }),
  });

/** The link of the variant that the issue is about. @throws ApiError 409 `action_not_possible` if it is not known */
async function requireLink(work: Resolving): Promise<LinkRow> {
  const { ctx, channel, facts } = work;
  const link = await linkOfExternal(ctx, channel.channel_id, {
    variant: facts.external_variant_id ?? null,
    item: facts.inventory_item_id ?? null,
  });
  if (link !== undefined) return link;
  const detail = 'The store has not said which variant this is; try again, or wait for its next delivery.';
  throw notPossible(work, detail);
}

const resolved = (resolution: string): Partial<IssueRow> => ({ state: 'resolved', resolution });

const link: Run = async (work) => {
  const { product_id } = work.asked;
  if (product_id === undefined) {
    const msg = 'Say which product it is.';
    throw invalid([{ loc: ['body', 'product_id'], msg, type: 'missing' }]);
  }
  await linkTo(work.ctx, work.channel, await requireLink(work), product_id);
  return { ...resolved('linked'), product_id };
};

const createProduct: Run = async (work) => {
  const { ctx, channel } = work;
  refuseOverdue(await ctx.standing(), ctx.now());
  if (!isFollowed(channel))
    throw notPossible(
      work,
      'The channel is paused or has ended, so no product is made. Resume or connect it first.',
    );
  const { external_product_id, external_variant_id } = await requireLink(work);
  await askAgain(ctx, channel, external_product_id, { create: [external_variant_id] });
  return resolved('create_product');
};

/** The asked fields of the conflict. @throws ApiError 422 for a field that is in none */
function askedFields({ facts, asked }: Resolving) {
  const waiting = facts.fields ?? [];
  const unknown = (asked.fields ?? []).findIndex((name) => waiting.every(({ field }) => field !== name));
  if (unknown !== -1) {
    const msg = `This field waits for no decision; these do: ${waiting.map(({ field }) => field).join(', ')}.`;
    throw invalid([{ loc: ['body', 'fields', unknown], msg, type: 'field_not_in_conflict' }]);
  }
  const isAsked = (field: string): boolean => asked.fields?.some((name) => name === field) ?? true;
  return {
    decided: waiting.filter(({ field }) => isAsked(field)),
    left: waiting.filter(({ field }) => !isAsked(field)),
  };
}

async function takeStore(
  work: Resolving,
  row: LinkRow,
  values: readonly { field: string; store: string | null; here: string | null }[],
) {
  const { ctx } = work;
  const patches = values.map(({ field, store, here }) => patchOf(field as MergedFieldName, store, here));
  const patch = Object.assign({}, ...patches) as NonNullable<FeedRow['patch']>;
  const standing = await ctx.standing();
  if (patch.status === 'active') refuseOverdue(standing, ctx.now());
  const [written] = await writeStoreRows(
    ctx,
    [{ product_id: row.product_id, rowFor: () => rowOf(patch) }],
    standing,
  );
  const error = written?.plan.messages.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw notPossible(work, `The store’s value cannot be taken: ${error.message}`);
}

/** Either way the store's values are known from now on. */
const decideFields =
  (takes: boolean): Run =>
  async (work) => {
    const { decided, left } = askedFields(work);
    const row = await requireLink(work);
    if (row.state !== 'linked' || row.product_id === null)
      throw notPossible(work, 'The variant is no longer linked.');
    if (takes) await takeStore(work, row, decided);
    const known: FieldTexts = Object.fromEntries(decided.map(({ field, store }) => [field, store]));
    await writeVersion(links, work.ctx, row, { base: { ...row.base, ...known } });
    if (left.length > 0) return { facts: { ...work.facts, fields: left } };
    return resolved(takes ? 'take_store' : 'keep_here');
  };

/** The issue ends when the store’s next answer passes. */
const retry: Run = async (work) => {
  const { ctx, channel, facts } = work;
  const { channel_id } = channel;
  const { external_product_id, inventory_item_id, location_id } = facts;
  const isLevel = inventory_item_id !== undefined && location_id !== undefined;
  if (external_product_id !== undefined) await askAgain(ctx, channel, external_product_id);
  if (isLevel) await askForLevel(ctx, channel_id, { inventory_item_id, location_id });
  if (external_product_id === undefined && !isLevel) await planJob(ctx, PREPARE_JOB, channel_id);
  return {};
};

const RUNS: Readonly<Record<IssueAction, Run>> = {
  link,
  create_product: createProduct,
  take_store: decideFields(true),
  keep_here: decideFields(false),
  retry,
  ignore: async () => ({ state: 'ignored', resolution: 'ignored' }),
};

/**
 * Does what a member has decided.
 *
 * @param channel its row is locked
 * @throws ApiError 409 `issue_closed`, `action_not_possible` and those of linking, 422
 */
export async function resolveByMember(
  ctx: SellerCtx,
  channel: ChannelRow,
  issue: IssueRow,
  asked: Resolve,
): Promise<IssueRow> {
  const { kind, state, resolution } = issue;
  if (state !== 'open') throw fail(channelErrors.issue_closed, { facts: { resolution } });
  const facts = issue.facts as IssueFacts;
  const work = { ctx, channel, issue, facts, asked };
  if (!ISSUES[kind].actions.includes(asked.action)) throw notPossible(work);
  const change = await RUNS[asked.action](work);
  // Linking may have resolved it already.
  const now = (await issues.find(ctx, issue, 'for update')) ?? issue;
  const by = change.state === undefined ? {} : { resolved_by: ctx.by.id };
  if (Object.keys(change).length === 0) return now;
  const after = await writeVersion(issues, ctx, now, { ...change, ...by });
  if (now.state === 'open' && after.state !== 'open')
    await ctx.emit(channelEvents.issueResolved.of(issueView(after)));
  return after;
}
