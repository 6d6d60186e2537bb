/** Takes an upload in: raw or multipart, plain or gzip, bounded before and after inflating. */
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { FeedFileError } from '../../../../kernel/feed-file-error.ts';
import { inflateLimited } from '../../../../kernel/inflate.ts';
import { type Spool, spool } from '../../../../platform/files/spool.ts';
import {
  CONTENT_TYPES,
  contentTypeOfFile,
  type FeedContentType,
  feedContentType,
  MULTIPART,
  mediaType,
} from '../../domain/feed-run/formats.ts';
import type { FeedLimits } from '../../domain/feed-run/limits.ts';
import { feedErrors, feedFailure } from '../../feed-errors.ts';

export interface Upload {
  readonly spool: Spool;
  readonly contentType: FeedContentType;
  readonly filename: string | null;
}

export interface UploadRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly stream: AsyncIterable<Buffer>;
}

const header = (request: UploadRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
};

const wrongType = (detail: string) =>
  feedFailure(feedErrors.feed_content_type, { detail, facts: { allowed: CONTENT_TYPES } });

function inflated(
  source: AsyncIterable<Buffer>,
  encoding: string,
  limits: FeedLimits,
): AsyncIterable<Buffer> {
  if (encoding === '' || encoding === 'identity') return source;
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw wrongType(`The content encoding ${JSON.stringify(encoding)} is not taken; use gzip or none.`);
  return inflateLimited(source, limits.max_bytes);
}

/** Errors of reading a file in the words of the feed family. */
export function fileError(error: unknown, limits: FeedLimits): unknown {
  if (!(error instanceof FeedFileError)) return error;
  if (error.code === 'feed_too_large')
    return feedFailure(feedErrors.feed_too_large, { detail: error.message, limits });
  const line = error.line === undefined ? {} : { line: error.line };
  return feedFailure(feedErrors.feed_validation_failed, {
    code: error.code,
    detail: error.message,
    limits,
    facts: line,
  });
}

interface Part {
  readonly stream: BusboyFileStream;
  readonly filename: string | null;
  readonly type: string;
}

/** The first file of a multipart body; what follows it is not read. */
async function firstFile(
  source: AsyncIterable<Buffer>,
  contentType: string,
  use: (part: Part) => Promise<Upload>,
): Promise<Upload> {
  return new Promise((resolve, reject) => {
    let taken = false;
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: { 'content-type': contentType },
        limits: { files: 1, fields: 20, fieldSize: 8_192, parts: 21, headerPairs: 50 },
      });
    } catch (error) {
      reject(wrongType(`The multipart body cannot be read: ${(error as Error).message}.`));
      return;
    }
    const broken = (error: Error) =>
      reject(
        feedFailure(feedErrors.feed_validation_failed, {
          code: 'multipart_invalid',
          detail: `The multipart body cannot be read: ${error.message}.`,
        }),
      );
    parser.on('file', (_name, stream, filename, _encoding, type) => {
      taken = true;
      stream.on('error', broken);
      use({ stream, filename: filename ?? null, type }).then(resolve, (error: unknown) => {
        stream.resume();
        reject(error as Error);
      });
    });
    parser.on('error', (error) => broken(error as Error));
    parser.on('finish', () => {
      if (!taken)
        reject(
          feedFailure(feedErrors.feed_validation_failed, {
            code: 'file_missing',
            detail: 'The multipart body holds no file.',
          }),
        );
    });
    const body = Readable.from(source);
    body.on('error', reject);
    body.pipe(parser);
  });
}

/**
 * Reads the upload of a feed request to the disk.
 *
 * @throws ApiError 413 `feed_too_large`, 415 `feed_content_type`, 422 `feed_validation_failed`
 */
export async function receiveUpload(request: UploadRequest, limits: FeedLimits): Promise<Upload> {
  const tooLarge = () =>
    feedFailure(feedErrors.feed_too_large, {
      detail: `The file has more than ${limits.max_bytes} bytes.`,
      limits,
    });
  const encoding = (header(request, 'content-encoding') ?? '').trim().toLowerCase();
  if (encoding === '' && Number(header(request, 'content-length') ?? 0) > limits.max_bytes + 65_536)
    throw tooLarge();
  const full = header(request, 'content-type') ?? '';
  const media = mediaType(full);
  const store = async (
    source: AsyncIterable<Buffer>,
    contentType: FeedContentType | undefined,
    filename: string | null,
  ): Promise<Upload> => {
    if (contentType === undefined)
      throw wrongType(
        media === ''
          ? 'Send a Content-Type that feeds take.'
          : `The content type ${JSON.stringify(media)} is not taken.`,
      );
    return { spool: await spool(source, limits.max_bytes, tooLarge), contentType, filename };
  };
  try {
    if (media !== MULTIPART)
      return await store(inflated(request.stream, encoding, limits), feedContentType(media), null);
    return await firstFile(inflated(request.stream, encoding, limits), full, ({ stream, filename, type }) => {
      const zipped = filename?.toLowerCase().endsWith('.gz') ?? false;
      return store(
        zipped ? inflateLimited(stream, limits.max_bytes) : stream,
        contentTypeOfFile(mediaType(type), filename),
        filename,
      );
    });
  } catch (error) {
    throw fileError(error, limits);
  }
}
