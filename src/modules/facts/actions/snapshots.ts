import type { Static, TSchema } from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { type Computed, type MissingComponent, type Said, snapshotFrame } from '../../../kernel/frame.ts';
import { JSON_TYPE, withFields } from '../../../kernel/ready-json.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { askForJob } from '../../../platform/jobs/ask-for-job.ts';
import type { HandlerCtx } from '../../../platform/services.ts';
import { factState } from '../store/series.ts';
import { readText, snapshots } from '../store/snapshots.ts';

export const ROLL_JOB = 'facts.roll';

type ReadCtx = Pick<HandlerCtx, 'db' | 'seller_id' | 'now' | 'services'>;

interface NewSnapshot extends Said {
  /** Null for payloads whose rows are in tables of their area. */
  readonly body: unknown;
}

/**
 * Keeps a payload of one piece, in place of the one before, at the end of the transaction.
 *
 * @param contract `<area>.<payload>.v<n>`
 */
export function saveSnapshot(ctx: Acting, contract: string, said: NewSnapshot): void {
  const { facts_through_on = null, semantic_status, status_reason = null, missing = [], body } = said;
  snapshots.upsertLater(ctx, [
    {
      contract,
      facts_through_on,
      generated_at: ctx.at(),
      semantic_status: semantic_status ?? (missing.length > 0 ? 'partial' : 'complete'),
      status_reason,
      missing: [...missing],
      body,
    },
  ]);
}

/**
 * Reads a payload with its frame. If there is none, the frame says `not_computed`, and the night of the seller is due at
 * once.
 *
 * @returns the body as JSON
 */
async function readKept(ctx: ReadCtx, contract: string) {
  const row = await readText(ctx, contract);
  return { frame: frameOf(ctx, contract, row), body: row?.body ?? null };
}

/** The same with a parsed body. @param _schema of the body */
export async function readSnapshot<S extends TSchema>(ctx: ReadCtx, contract: string, _schema: S) {
  const { frame, body } = await readKept(ctx, contract);
  return { frame, body: body === null ? null : (JSON.parse(body) as Static<S>) };
}

/**
 * Answers with a payload as it was kept, and its frame.
 *
 * @param tag begins the entity tag
 * @param nothing the fields of the payload while it is not computed
 */
export async function answerKept(
  ctx: ReadCtx,
  contract: string,
  tag: (frame: ReturnType<typeof frameOf>) => string,
  nothing: () => object | Promise<object>,
): Promise<RouteResult<never>> {
  const { frame, body } = await readKept(ctx, contract);
  const data = withFields(body ?? JSON.stringify(await nothing()), frame);
  return { content: { type: JSON_TYPE, data }, etag: { version: tag(frame), shown: undefined } };
}

/** The frame of days that are read from the facts themselves. @param missing what the shown days lack */
export async function readFactsFrame(ctx: ReadCtx, contract: string, missing: readonly MissingComponent[]) {
  const { through_on = null, watermark_at = null } = (await factState(ctx)) ?? {};
  if (through_on === null || watermark_at === null) return frameOf(ctx, contract, undefined);
  const semantic_status = missing.length > 0 ? 'partial' : 'complete';
  return frameOf(ctx, contract, {
    ...{ facts_through_on: through_on, generated_at: watermark_at, semantic_status, status_reason: null },
    missing,
  });
}

function frameOf(ctx: ReadCtx, contract: string, computed: Computed | undefined) {
  const { services, seller_id } = ctx;
  if (computed === undefined)
    askForJob(services, {
      ...{ kind: ROLL_JOB, sellerId: seller_id, uniqueKey: seller_id, dueAt: services.now() },
    });
  return snapshotFrame(ctx.now(), contract, computed);
}
