/** The body of the OAuth 2.0 password grant (RFC 6749, 4.3.2): a form, not JSON. */
import { coreErrors, type FieldProblem, fail, invalid } from '../../../kernel/errors.ts';
import type { Credentials } from '../actions/sign-in-with-password.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM_BYTES_MAX = 8_192;

async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > FORM_BYTES_MAX)
      throw fail(coreErrors.payload_too_large, { facts: { max_bytes: FORM_BYTES_MAX } });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const missing = (name: string): FieldProblem => ({
  loc: ['body', name],
  msg: 'This field is required.',
  type: 'missing',
});

/**
 * Reads the form. Other parameters of the grant (`scope`, `client_id`) are ignored.
 *
 * @throws ApiError 413, 415, or 422
 */
export async function readCredentials(
  stream: AsyncIterable<Buffer>,
  contentType: string | string[] | undefined,
): Promise<Credentials> {
  const [type = ''] = String(contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM_TYPE) {
    throw fail(coreErrors.unsupported_media_type, { facts: { allowed: [FORM_TYPE] } });
  }
  const form = new URLSearchParams(await collect(stream));
  const username = form.get('username') ?? '';
  const password = form.get('password') ?? '';
  const problems: FieldProblem[] = [];
  if ((form.get('grant_type') ?? 'password') !== 'password') {
    problems.push({ loc: ['body', 'grant_type'], msg: 'Must be one of: password.', type: 'enum' });
  }
  if (username === '') problems.push(missing('username'));
  if (password === '') problems.push(missing('password'));
  if (problems.length > 0) throw invalid(problems);
  return { username, password };
}
