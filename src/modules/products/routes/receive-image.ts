/** The body of an image request: JSON with a URL, or the bytes of an image. */
import Type, { type Static } from 'typebox';
import { coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import type { ImageFile } from '../../../kernel/images/image-file.ts';
import { IMAGE_TYPES } from '../../../kernel/images/read-image.ts';
import type { MediaDoc } from '../../../kernel/route.ts';
import { described } from '../../../kernel/schema.ts';
import { collectBody, parseJsonBody } from '../../../platform/http/read-body.ts';
import { compileBodyCheck } from '../../../platform/http/validate.ts';
import { checkImage } from '../domain/images/check-image.ts';
import { NullableText } from '../schemas/parts.ts';

const JSON_TYPE = 'application/json';
export const IMAGE_CONTENT_TYPES: readonly string[] = [JSON_TYPE, ...IMAGE_TYPES];
const RECORD_BYTES_MAX = 64 * 1024;

const ImageRecordInput = Type.Object(
  {
    url: Type.String({ description: 'Public URL of the image, http or https' }),
    alt: Type.Optional(described('Text for people who cannot see the image', NullableText)),
    position: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Position among the images, from 1; defaults to the end' }),
    ),
  },
  { title: 'ImageRecordInput', description: 'An image by its URL.' },
);
/** Describes the JSON form of the body. */
export const IMAGE_MEDIA: Readonly<Record<string, MediaDoc>> = {
  [JSON_TYPE]: {
    schema: ImageRecordInput,
    example: { url: 'https://cdn.example.com/mug-blue.jpg', alt: 'Blue mug' },
  },
};
const checkRecord = compileBodyCheck(ImageRecordInput);

interface ReceivedRecord {
  readonly kind: 'record';
  readonly bytes: Buffer;
  readonly record: Static<typeof ImageRecordInput>;
}
interface ReceivedFile {
  readonly kind: 'file';
  readonly bytes: Buffer;
  readonly file: ImageFile;
}

interface ImageRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly stream: AsyncIterable<Buffer>;
}

/**
 * Reads the whole body, because a transaction must not wait for a slow sender.
 *
 * @throws ApiError 413, 415, 422
 */
export async function receiveImage(
  { headers, stream }: ImageRequest,
  maxBytes: number,
): Promise<ReceivedRecord | ReceivedFile> {
  const stated = String(headers['content-type'] ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase();
  const encoded = headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity';
  if (stated === JSON_TYPE && !encoded) {
    const bytes = await collectBody(headers, stream, RECORD_BYTES_MAX);
    const record = parseJsonBody(bytes);
    checkRecord(record);
    return { kind: 'record', bytes, record: record as ReceivedRecord['record'] };
  }
  const type = IMAGE_TYPES.find((known) => known === stated);
  if (type === undefined || encoded)
    throw fail(coreErrors.unsupported_media_type, { facts: { allowed: IMAGE_CONTENT_TYPES } });
  const bytes = await collectBody(headers, stream, maxBytes);
  const file = checkImage(bytes, type);
  if ('code' in file) throw invalid([{ loc: ['body'], msg: file.message, type: file.code }]);
  return { kind: 'file', bytes, file };
}
