import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { csvWriter } from '../../kernel/csv-writer.ts';
import { coreErrors, fail } from '../../kernel/errors.ts';
import { idOf } from '../../kernel/id-of.ts';
import { Instant } from '../../kernel/schema.ts';
import { writeCsv } from '../../kernel/write-rows.ts';
import { ChainCheck, canonicalEntry } from '../../platform/audit/chain.ts';
import { takeVerification } from '../../platform/audit/checkpoints.ts';
import { chainEnds, listEntries, type SealedEntry, sealedEntries } from '../../platform/audit/entries.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { reads } from '../../platform/rest/access.ts';
import { fileRoute } from '../../platform/rest/file-route.ts';
import { pageRoute } from '../../platform/rest/page-route.ts';
import type { HandlerCtx } from '../../platform/services.ts';
import {
  ActorKind,
  AuditEntry,
  COLUMNS,
  ENTRY_EXAMPLE,
  Result,
  VERIFICATION_EXAMPLE,
  Verification,
} from './schemas.ts';

const access = reads('audit');

const time = {
  from: Type.Optional(Instant({ description: 'Entries at this instant or later' })),
  to: Type.Optional(Instant({ description: 'Entries before this instant' })),
};
const equal = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));

const list = pageRoute({
  id: 'audit.entries.list',
  path: '/entries',
  summary: 'List the activity log',
  description:
    'Newest first. Each decided write request, each download of an export and each event of the marketplace has an entry.',
  access,
  filters: {
    ...time,
    actor_kind: Type.Optional(ActorKind),
    actor_id: equal('Id of the member who acted'),
    action: equal('Operation id, for example `products.update`'),
    target_id: equal('Id of the object'),
    result: Type.Optional(Result),
    request_id: equal('`X-Request-Id` of the request'),
  },
  schema: AuditEntry,
  example: ENTRY_EXAMPLE,
  read: (ctx, { filters, after, limit }) => listEntries(ctx, filters, after && String(after[0]), limit + 1),
  position: ({ audit_id }) => [audit_id],
  view: ({ seller_id: _, ...entry }) => entry,
});

const get = defineRoute({
  id: 'audit.entries.get',
  method: 'GET',
  path: '/entries/{audit_id}',
  summary: 'Read an entry of the activity log',
  description: 'An entry never changes after it is sealed.',
  access,
  params: Type.Object({ audit_id: Type.String({ description: 'Id of the entry, `aud_…`' }) }),
  ok: okJson('The entry', AuditEntry, ENTRY_EXAMPLE),
  errors: [coreErrors.not_found],
  handler: async (ctx, { params }) => {
    const [found] = await listEntries(ctx, { audit_id: idOf('aud_', params.audit_id) }, undefined, 1);
    if (found === undefined) throw fail(coreErrors.not_found);
    const { seller_id: _, ...body } = found;
    return { body, etag: { version: `${body.audit_id}.${body.seq ?? 0}`, shown: body } };
  },
});

const HOUR_MS = 3_600_000;
/** Enough time for some ten million entries. */
const VERIFY_TIMEOUT_MS = 600_000;

/** Follows the whole chain in one snapshot. */
const verify = (ctx: HandlerCtx): Promise<Static<typeof Verification>> =>
  ctx.longTransaction('snapshot', async (db) => {
    const at = { db, seller_id: ctx.seller_id };
    const { anchor, head } = await chainEnds(at);
    const check = new ChainCheck(anchor);
    for await (const entries of sealedEntries(at)) if (!entries.every((entry) => check.follow(entry))) break;
    check.end(head);
    const { firstBreak: first_break = null } = check;
    return {
      from_seq: anchor.seq + 1,
      to_seq: head.seq,
      anchor_hash: anchor.hash,
      head_hash: head.hash,
      valid: first_break === null,
      first_break,
      checked_at: ctx.at(),
    };
  });

const verification = defineRoute({
  id: 'audit.verification.get',
  method: 'GET',
  path: '/verification',
  summary: 'Verify the activity log',
  description:
    'Computes the hash of every entry again, from the oldest one that is kept. Once an hour; then 429 with `Retry-After`. Compare `to_seq` and `head_hash` with the events `audit.checkpoint` that you have kept: a log whose end was cut off is valid, but ends before them.',
  access,
  tx: 'own',
  timeoutMs: VERIFY_TIMEOUT_MS,
  ok: okJson('The result', Verification, VERIFICATION_EXAMPLE),
  errors: [],
  handler: async (ctx) => {
    const hour = { now: ctx.at(), before: new Date(ctx.now() - HOUR_MS).toISOString() };
    const taken = await ctx.transaction('write', (db) =>
      takeVerification({ db, seller_id: ctx.seller_id }, hour),
    );
    if (!taken) throw fail(coreErrors.rate_limited, { headers: { 'retry-after': String(HOUR_MS / 1000) } });
    return { body: await verify(ctx) };
  },
});

async function* writeCanonical(batches: AsyncIterable<readonly SealedEntry[]>): AsyncGenerator<string> {
  for await (const entries of batches) yield entries.map((entry) => `${canonicalEntry(entry)}\n`).join('');
}

const { actor_email: _, ...stored } = ENTRY_EXAMPLE;
const sample = {
  ...stored,
  seller_id: 'slr_06fh5m2k9x0008m1q4t7v2w5y8',
  seq: stored.seq ?? 0,
  hash: stored.hash ?? '',
  prev_hash: stored.prev_hash ?? '',
};
const writer = csvWriter(COLUMNS);

const download = fileRoute({
  id: 'audit.export',
  path: '/export',
  summary: 'Export the activity log',
  description:
    'One entry a line, in the order of the chain and without a gap; entries of the last second may be missing. A line of `jsonl` is the canonical form that the hashes are made of, so `scripts/verify-audit.ts` checks the file without the service.',
  access: { ...access, plan: 'audit_export' },
  query: time,
  formats: ['csv', 'jsonl'],
  media: {
    'text/csv': { example: writer.header + writer.line(sample) },
    'application/x-ndjson': { example: `${canonicalEntry(sample)}\n` },
  },
  open: (ctx, db, { query, format }) => {
    const batches = sealedEntries({ db, seller_id: ctx.seller_id }, query);
    return {
      name: `activity-log-${sydneyDate(ctx.now())}`,
      text: format === 'csv' ? writeCsv(batches, COLUMNS) : writeCanonical(batches),
    };
  },
});

export const auditRoutes = [list, get, verification, download];
