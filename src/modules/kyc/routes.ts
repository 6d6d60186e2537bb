import Type from 'typebox';
import { coreErrors } from '../../kernel/errors.ts';
import { waitingOf } from '../../kernel/waiting.ts';
import { DOCUMENT_TYPES } from '../../platform/attachments/check-file.ts';
import { attachmentErrors } from '../../platform/attachments/errors.ts';
import { receiveFile } from '../../platform/attachments/receive-file.ts';
import { defineRoute, okJson } from '../../platform/http/define-route.ts';
import { reads, writes } from '../../platform/rest/access.ts';
import { collectFile } from '../../platform/rest/collect-file.ts';
import { keyed } from '../../platform/rest/keyed.ts';
import { addDocument, checkPlace, deleteDocument, requireOpenItem } from './actions/documents.ts';
import { showCase, showDocument } from './actions/show-case.ts';
import { submitCase } from './actions/submit-case.ts';
import { kycErrors } from './errors.ts';
import { CASE_EXAMPLE, Case, DOCUMENT_EXAMPLE, Document, DocumentInput, REVIEW } from './schemas.ts';
import { findCase } from './store/cases.ts';

/** If a scanner is configured, the answer waits for its verdict. */
const UPLOAD_TIMEOUT_MS = 60_000;
/** A person must be able to read the document. */
const SIDE_MIN = 600;
const write = writes('standing', 'setup');

const get = defineRoute({
  id: 'kyc.get',
  method: 'GET',
  path: '',
  summary: 'What the marketplace asks for to verify the identity, and what became of it',
  description:
    'Everything is listed at once. `status` is `not_required` while nothing is asked for. Documents are never given back.',
  access: reads('standing', 'setup'),
  cache: 'no-store',
  ok: okJson('The case', Case, CASE_EXAMPLE),
  errors: [],
  handler: async (ctx) => {
    const { status } = await ctx.standing();
    return { body: waitingOf(status === 'active', await showCase(ctx, await findCase(ctx))) };
  },
});

const upload = defineRoute({
  id: 'kyc.documents.create',
  method: 'POST',
  path: '/items/{item_id}/documents',
  summary: 'Hand in a document of an item',
  description:
    'An image is decoded and written anew, so no metadata of it is kept; the shorter side must have 600 pixels. A PDF may have no password, scripts, attached files or actions beyond it but links, whose addresses are not checked. The content is encrypted and never given back. A document of the same type and side is replaced, and its content deleted after 30 days. An identity document needs `type`, a licence or card also `side`, one file for each.',
  access: write,
  params: Type.Object({ item_id: Type.String({ description: 'Id of the item, `kyi_…`' }) }),
  query: DocumentInput,
  body: {
    kind: 'stream',
    contentTypes: [...DOCUMENT_TYPES, 'application/octet-stream'],
    description: 'The bytes of the file',
  },
  tx: 'own',
  timeoutMs: UPLOAD_TIMEOUT_MS,
  ok: okJson('The document', Document, DOCUMENT_EXAMPLE, 201),
  errors: [
    coreErrors.not_found,
    kycErrors.case_not_open,
    kycErrors.document_limit,
    kycErrors.replacement_limit,
    attachmentErrors.attachment_too_large,
    attachmentErrors.attachment_kind_unsupported,
    attachmentErrors.scan_unavailable,
  ],
  handler: async (ctx, request) => {
    const { item_id } = request.params;
    const { type = null, side = null } = request.query;
    const place = { type, side };
    const bytes = await collectFile(ctx.services, request.headers, request.stream);
    const { signal } = request;
    const key = request.key.including(bytes);
    // A repeated request gets its stored answer, whatever the state of the case is now. A request that would be refused is refused before the image is decoded.
    const { answer } = await ctx.transaction('write', async (db) => {
      const earlier = await key.earlier(db);
      if (earlier.answer === undefined) checkPlace((await requireOpenItem(ctx.in(db), item_id)).item, place);
      return earlier;
    });
    if (answer !== undefined) return answer;
    const stated = request.headers['content-type'];
    const file = await receiveFile(ctx, bytes, { use: 'identity', stated, sideMin: SIDE_MIN });
    return keyed(ctx, { key, signal }, async (inside) => ({
      status: 201,
      body: showDocument(place, await addDocument(inside, item_id, place, file)),
    }));
  },
});

const remove = defineRoute({
  id: 'kyc.documents.delete',
  method: 'DELETE',
  path: '/documents/{attachment_id}',
  summary: 'Delete a document that was not submitted',
  description: 'Its content is deleted at once.',
  access: { ...write, idempotency: 'none' },
  params: Type.Object({ attachment_id: Type.String({ description: 'Id of the document, `att_…`' }) }),
  ok: [{ status: 204, description: 'Deleted' }],
  errors: [coreErrors.not_found, kycErrors.case_not_open],
  handler: async (ctx, { params }) => {
    await deleteDocument(ctx, params.attachment_id);
    return { status: 204 };
  },
});

const SUBMITTED_EXAMPLE = { ...CASE_EXAMPLE, ...REVIEW, status: 'submitted' } as const;

const submit = defineRoute({
  id: 'kyc.submissions.create',
  method: 'POST',
  path: '/submissions',
  summary: 'Hand the case in',
  description:
    'Every open item needs its documents: 409 `items_missing` lists those that lack some. Then the marketplace reviews them.',
  access: write,
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        declaration: Type.Literal(true, {
          description: 'The documents are genuine and about the persons named',
        }),
      },
      { title: 'KycDeclaration', description: 'What the member declares.' },
    ),
    example: { declaration: true },
  },
  ok: okJson('The case', Case, SUBMITTED_EXAMPLE, 201),
  errors: [coreErrors.not_found, kycErrors.case_not_open, kycErrors.items_missing],
  handler: async (ctx) => ({ status: 201, body: await showCase(ctx, await submitCase(ctx)) }),
});

export const kycRoutes = [get, upload, remove, submit];
