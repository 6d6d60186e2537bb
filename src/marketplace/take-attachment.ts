/**
 * Takes a file that a buyer or the marketplace adds to a conversation. A file that breaks a rule is noted without its
 * content, so that its message is not lost. `external_id` is opaque and stays when the content is deleted.
 * Source: docs/design/attachments.md#of-the-marketplace.
 */
import type { FastifyRequest } from 'fastify';
import type { CursorDb } from '../kernel/context.ts';
import { ApiError, type FieldProblem, invalid } from '../kernel/errors.ts';
import { acting, MARKETPLACE } from '../platform/acting.ts';
import {
  type Attachment,
  findExternal,
  lockExternal,
  storeAttachment,
  storeRefused,
  UNUSED_KEPT_MS,
} from '../platform/attachments/attachments.ts';
import { cleanFilename } from '../platform/attachments/clean-filename.ts';
import { type CleanFile, receiveFile } from '../platform/attachments/receive-file.ts';
import { sellerExists } from '../platform/db/read-standing.ts';
import { RequestLog } from '../platform/http/request-log.ts';
import { collectFile } from '../platform/rest/collect-file.ts';
import type { Services } from '../platform/services.ts';

const CHARACTERS_MAX = { seller_id: 64, filename: 1_000, external_id: 200 } as const;
type Name = keyof typeof CHARACTERS_MAX;

const problem = (name: string, msg: string, type: string, input?: unknown): FieldProblem => ({
  loc: ['query', name],
  msg,
  type,
  input,
});

/** @throws ApiError 422 that names each parameter */
function readQuery(
  query: unknown,
): Readonly<Record<Name, string | undefined>> & { readonly seller_id: string } {
  const given = query as Readonly<Record<string, unknown>>;
  const problems = Object.keys(given).flatMap((name) => {
    const value = given[name];
    if (!Object.hasOwn(CHARACTERS_MAX, name))
      return [problem(name, 'There is no such parameter.', 'extra_forbidden', value)];
    const max = CHARACTERS_MAX[name as Name];
    if (typeof value === 'string' && value !== '' && value.length <= max && !value.includes('\0')) return [];
    return [problem(name, `Send this parameter once, with 1 to ${max} characters.`, 'string_type')];
  });
  if (given['seller_id'] === undefined)
    problems.push(problem('seller_id', 'This parameter is required.', 'missing'));
  if (problems.length > 0) throw invalid(problems);
  return given as ReturnType<typeof readQuery>;
}

/** What was refused, by its code; undefined for what is no fault of the file. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status >= 500) return undefined;
  const { detail } = error.body;
  const [first] = Array.isArray(detail) ? (detail as readonly FieldProblem[]) : [];
  return first?.type ?? error.code;
}

const toWire = (row: Attachment) => {
  const { attachment_id, filename, content_type, bytes, sha256, scan, status, refused, created_at } = row;
  const expires_at =
    status === 'unused' ? new Date(Date.parse(created_at) + UNUSED_KEPT_MS).toISOString() : null;
  return { attachment_id, filename, content_type, bytes, sha256, scan, status, refused, expires_at };
};

/** @throws ApiError 422 at a parameter, 503 `scan_unavailable|unavailable` */
export async function takeAttachment(services: Services, request: FastifyRequest) {
  const { seller_id, filename, external_id = null } = readQuery(request.query);
  const inside = <T>(work: (db: CursorDb) => Promise<T>) =>
    services.withSystem('marketplace-event', 'write', work);
  const earlier = (db: CursorDb) =>
    external_id === null ? undefined : findExternal({ db, seller_id }, external_id);
  const known = await inside(async (db) => {
    if (!(await sellerExists(db, seller_id)))
      throw invalid([problem('seller_id', 'There is no such seller.', 'seller_not_found', seller_id)]);
    return earlier(db);
  });
  if (known !== undefined) return toWire(known);
  const receiving = { services, seller_id, log: new RequestLog(request), audit: () => undefined };
  const about = { use: 'conversation', origin: 'marketplace', external_id } as const;
  let sent: Buffer = Buffer.alloc(0);
  let file: CleanFile | string;
  try {
    const { headers, raw } = request;
    sent = await collectFile(services, headers, raw);
    file = await receiveFile(receiving, sent, { use: 'conversation', stated: headers['content-type'] });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    file = refusal;
  }
  const row = await inside(async (db) => {
    if (external_id !== null) await lockExternal({ db, seller_id }, external_id);
    const correlation = { request_id: request.id, idempotency_key: null };
    const ctx = acting(services, { db, seller_id, by: MARKETPLACE, correlation });
    const stored = await earlier(db);
    if (stored !== undefined) return stored;
    if (typeof file === 'string')
      return storeRefused(ctx, sent.length, { ...about, filename: null, code: file });
    const name = cleanFilename(filename ?? '', file.content_type);
    return storeAttachment(ctx, services, file, { ...about, filename: name });
  });
  return toWire(row);
}
