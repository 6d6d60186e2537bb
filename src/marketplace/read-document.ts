/** The content of an attachment, for a person who works for the marketplace. The seller sees each read of its identity. */
import type { FastifyRequest } from 'fastify';
import { coreErrors, fail, invalid } from '../kernel/errors.ts';
import { acting } from '../platform/acting.ts';
import { attachmentOwner, readAttachment } from '../platform/attachments/attachments.ts';
import { recordActivity } from '../platform/audit/record-activity.ts';
import type { Services } from '../platform/services.ts';

const ACTION = 'internal.attachments.get';
const OPERATOR = /^[\x21-\x7e]{1,100}$/;

/** @throws ApiError 422 without a person in `X-Operator`, 404 */
export async function readDocument(services: Services, request: FastifyRequest) {
  const operator = request.headers['x-operator'];
  if (typeof operator !== 'string' || !OPERATOR.test(operator)) {
    const msg = 'Name the person who reads the document, in at most 100 visible ASCII characters.';
    throw invalid([{ loc: ['header', 'x-operator'], msg, type: 'operator_missing' }]);
  }
  const { attachment_id: id } = request.params as { readonly attachment_id: string };
  const correlation = { request_id: request.id, idempotency_key: null };
  const found = await services.withSystem('marketplace-event', 'write', async (db) => {
    const seller_id = await attachmentOwner(db, id);
    const file = seller_id && (await readAttachment({ db, seller_id }, services, id));
    if (!seller_id || !file) return undefined;
    if (file.use === 'identity')
      await recordActivity(acting(services, { db, seller_id, correlation }), {
        ...{ actor_kind: 'operator', actor_id: operator, action: ACTION, result: 'done', status: 200 },
        ...{ target_type: 'attachment', target_id: id },
      });
    return file;
  });
  if (found === undefined) throw fail(coreErrors.not_found);
  const headers = {
    'content-disposition': 'attachment',
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'private, no-store',
  };
  return { type: found.content_type, payload: found.bytes, headers };
}
