import { ApiError, fail } from '../../kernel/errors.ts';
import { attachmentErrors } from '../attachments/errors.ts';
import { attachmentSettings } from '../attachments/settings.ts';
import { collectBody } from '../http/read-body.ts';
import type { Services } from '../services.ts';

/**
 * Collects the whole file, because a transaction must not wait for a slow sender.
 *
 * @throws ApiError 413 `attachment_too_large`
 */
export async function collectFile(
  { config }: Pick<Services, 'config'>,
  headers: Parameters<typeof collectBody>[0],
  stream: AsyncIterable<Buffer>,
): Promise<Buffer> {
  const max_bytes = attachmentSettings.of(config).MAX_ATTACHMENT_BYTES;
  try {
    return await collectBody(headers, stream, max_bytes);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 413) throw error;
    throw fail(attachmentErrors.attachment_too_large, { facts: { max_bytes } });
  }
}
