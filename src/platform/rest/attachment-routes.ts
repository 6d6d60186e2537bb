/** The routes with which an area takes files of its conversations and gives them back. */
import Type from 'typebox';
import { coreErrors, fail, requireFound } from '../../kernel/errors.ts';
import type { AnyRoute } from '../../kernel/route.ts';
import { ATTACHMENT_EXAMPLE, Attachment, attachmentToWire } from '../attachments/attachment-schema.ts';
import { findAttachments, readAttachment, storeAttachment } from '../attachments/attachments.ts';
import { DOCUMENT_TYPES } from '../attachments/check-file.ts';
import { cleanFilename } from '../attachments/clean-filename.ts';
import { attachmentErrors } from '../attachments/errors.ts';
import { receiveFile } from '../attachments/receive-file.ts';
import { buyerErrors } from '../buyers/errors.ts';
import { defineRoute, okJson } from '../http/define-route.ts';
import { reads, writes } from './access.ts';
import { collectFile } from './collect-file.ts';
import { keyed } from './keyed.ts';

/** With a scanner the answer waits for it. */
const UPLOAD_TIMEOUT_MS = 60_000;
const FILE_TYPES = [...DOCUMENT_TYPES, 'text/plain'];
const TEXT_MEDIA = { 'text/plain': { example: 'Tracking says delivered, but nothing came.\n' } };

/** A name as RFC 5987 writes it. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Headers of a file that somebody else may have made: a browser saves it, and runs nothing of it. */
const fileHeaders = (filename: string): Readonly<Record<string, string>> => ({
  'content-disposition': `attachment; filename*=UTF-8''${encodeName(filename)}`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
});

const upload = (module: string): AnyRoute =>
  defineRoute({
    id: `${module}.attachments.create`,
    method: 'POST',
    path: '/attachments',
    summary: 'Upload a file for a text',
    description:
      'Upload first, then name the file in `attachment_ids` of a text within 24 hours. Taken are JPEG, PNG and WebP images, PDF, and text in UTF-8. An image is written anew, so no metadata of it is kept; a PDF may have no password, scripts, attached files or actions beyond it but links, whose addresses are not checked.',
    access: writes('support'),
    query: Type.Object({
      filename: Type.Optional(Type.String({ maxLength: 1_000, description: 'Name of the file' })),
    }),
    body: {
      kind: 'stream',
      contentTypes: [...FILE_TYPES, 'application/octet-stream'],
      description: 'The bytes of the file',
      media: TEXT_MEDIA,
    },
    tx: 'own',
    timeoutMs: UPLOAD_TIMEOUT_MS,
    ok: okJson(
      'The file',
      Attachment,
      { ...ATTACHMENT_EXAMPLE, status: 'unused', expires_at: '2026-07-02T01:00:00.000Z' },
      201,
    ),
    errors: [
      attachmentErrors.attachment_too_large,
      attachmentErrors.attachment_kind_unsupported,
      attachmentErrors.scan_unavailable,
    ],
    handler: async (ctx, request) => {
      const bytes = await collectFile(ctx.services, request.headers, request.stream);
      const { signal } = request;
      const key = request.key.including(bytes);
      const { answer } = await ctx.transaction('write', (db) => key.earlier(db));
      if (answer !== undefined) return answer;
      const stated = request.headers['content-type'];
      const file = await receiveFile(ctx, bytes, { use: 'conversation', stated });
      const filename = cleanFilename(request.query.filename ?? '', file.content_type);
      const about = { use: 'conversation', origin: 'seller', filename, external_id: null } as const;
      return keyed(ctx, { key, signal }, async (inside) => ({
        status: 201,
        body: attachmentToWire(await storeAttachment(inside, ctx.services, file, about)),
      }));
    },
  });

const download = (module: string): AnyRoute =>
  defineRoute({
    id: `${module}.attachments.get`,
    method: 'GET',
    path: '/attachments/{attachment_id}/content',
    summary: 'Download a file of a conversation',
    description: 'Answers with headers that make a browser save the file, not show it.',
    access: reads('support'),
    params: Type.Object({ attachment_id: Type.String({ description: 'Id of the file, `att_…`' }) }),
    tx: 'snapshot',
    cache: 'no-store',
    ok: [{ status: 200, description: 'The file', contentTypes: FILE_TYPES, media: TEXT_MEDIA }],
    errors: [coreErrors.not_found, buyerErrors.buyer_erased, attachmentErrors.attachment_expired],
    handler: async (ctx, { params }) => {
      const [row] = await findAttachments(ctx, [params.attachment_id]);
      if (row?.use !== 'conversation') throw fail(coreErrors.not_found);
      if (row.refused === 'buyer_erased') throw fail(buyerErrors.buyer_erased);
      if (row.refused === 'attachment_expired') throw fail(attachmentErrors.attachment_expired);
      const file = requireFound(await readAttachment(ctx, ctx.services, row.attachment_id));
      const headers = fileHeaders(row.filename ?? row.attachment_id);
      return { headers, content: { type: file.content_type, data: file.bytes } };
    },
  });

/** Both routes, for the module of this name. */
export const attachmentRoutes = (module: string): AnyRoute[] => [upload(module), download(module)];
