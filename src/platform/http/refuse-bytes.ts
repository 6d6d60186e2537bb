/**
 * Answers bytes that are not a valid request: no request line, headers that are too large or too slow, a broken chunk.
 * Without this, Node would answer in another form.
 */

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { coreErrors, type ErrorDef, fail } from '../../kernel/errors.ts';
import { errorBody } from './errors.ts';

/** Codes of Node's parser and timers. Every other code means a mistake in the bytes. */
const BY_CODE: Readonly<Record<string, ErrorDef>> = {
  HPE_HEADER_OVERFLOW: coreErrors.headers_too_large,
  ERR_HTTP_REQUEST_TIMEOUT: coreErrors.request_timeout,
};

/**
 * Writes the error and closes the connection, because its next bytes cannot be read.
 *
 * @param headers the headers of every answer: request id, rate limits, security
 */
export function refuseBytes(
  error: Error & { readonly code?: string },
  socket: Socket,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refused = fail(BY_CODE[error.code ?? ''] ?? coreErrors.bad_request);
  const body = JSON.stringify(errorBody(refused, requestId));
  const fields = {
    ...headers,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}\r\n${head.join('')}\r\n${body}`);
  socket.destroySoon();
}
