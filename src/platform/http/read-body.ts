/** Reads JSON bodies within limits. An invalid body is refused with the place of its first mistake. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { coreErrors, fail, invalid } from '../../kernel/errors.ts';
import { sayJsonMistake } from './json-mistake.ts';

const JSON_TYPE = 'application/json';

/** Whether a content type, with or without parameters, is one of `types`. */
function isOneOf(types: readonly string[], contentType: string | undefined): boolean {
  return (
    contentType !== undefined && types.includes(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  );
}

/**
 * Collects a body of at most `maxBytes`; stops reading as soon as it is larger.
 *
 * @throws ApiError 413
 */
export async function collectBody(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer> {
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > maxBytes) throw fail(coreErrors.payload_too_large, { facts: { max_bytes: maxBytes } });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw fail(coreErrors.payload_too_large, { facts: { max_bytes: maxBytes } });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Stops waiting when the time is over. Otherwise slow senders could block the server. */
function inTime<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const late = new Promise<never>((_resolve, reject) => {
    const refuse = (): void => reject(fail(coreErrors.request_timeout));
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
  // Only one promise wins the race. A later rejection of the other one must not be unhandled.
  work.catch(() => undefined);
  return Promise.race([work, late]);
}

/** A body that is JSON, and is refused nevertheless. */
class JsonRefused extends Error {}

/** Refuses keys that would change an object's prototype: only an attacker sends them. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new JsonRefused('the key "__proto__" is not allowed');
  return value;
}

/** No body of the API is nested so deeply. The limit protects recursive code from a stack overflow. */
const JSON_DEPTH_MAX = 64;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Whether arrays and objects are nested deeper than {@link JSON_DEPTH_MAX}; one pass, without recursion. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) return true;
    } else if (CLOSING.has(byte)) depth -= 1;
  }
  return false;
}

interface ReadBody {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/**
 * Reads and parses a JSON body; an absent body is `{}`.
 *
 * @param types the accepted media types, without parameters; by default only `application/json`
 * @param signal ends the wait for a body that does not arrive
 * @throws ApiError 408, 413, 415, or 422 of type `json_invalid`
 */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
  types: readonly string[] = [JSON_TYPE],
  signal?: AbortSignal,
): Promise<ReadBody> {
  // If the body is too large, keep the connection, because the 413 is sent on it.
  const stream = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const bytes = await inTime(collectBody(request.headers, stream, maxBytes), signal);
  if (bytes.length === 0) return { bytes, value: {} };
  if (!isOneOf(types, request.headers['content-type']))
    throw fail(coreErrors.unsupported_media_type, {
      detail: `Set Content-Type to ${types.join(' or ')}.`,
      facts: { allowed: types },
    });
  if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw fail(coreErrors.unsupported_media_type, {
      detail: 'Send the JSON as it is, without Content-Encoding.',
      facts: { allowed: types },
      headers: { 'accept-encoding': 'identity' },
    });
  return { bytes, value: parseJsonBody(bytes) };
}

const notJson = (mistake: string) =>
  invalid([{ loc: ['body'], msg: `The body is not valid JSON: ${mistake}.`, type: 'json_invalid' }]);

const BOM = '\u{FEFF}';
const withoutBom = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);

/**
 * Parses the bytes of a JSON body.
 *
 * @throws ApiError 422 of type `json_invalid`
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notJson('it is not UTF-8');
  if (isTooDeep(bytes)) throw notJson(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
  const text = withoutBom(bytes.toString());
  try {
    return JSON.parse(text, text.includes('__proto__') ? refusePrototype : undefined);
  } catch (error) {
    throw notJson(error instanceof JsonRefused ? error.message : sayJsonMistake(text));
  }
}
