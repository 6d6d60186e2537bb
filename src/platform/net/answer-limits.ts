/**
 * Limits for what the limit of a body does not count: interim answers (1xx), endless reason phrases, empty lines, chunk
 * extensions and TLS handshakes. The parsers take any number of them, so a stranger could keep the event loop busy until
 * the time limit.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Interim answers before the final one; a real server sends one or two. */
const INTERIM_ANSWERS_MAX = 5;
/** Bytes of a head, and of all interim heads together. */
export const HEAD_BYTES_MAX = 16 * 1024;

const bytesOf = (headers: object): number => Object.entries(headers).flat(2).join('').length;

/** Counts the interim answers to one request; the function returns true when there are too many. */
export function interimLimit(): (headers: object) => boolean {
  let count = 0;
  let bytes = 0;
  return (headers) => {
    count += 1;
    bytes += bytesOf(headers);
    return count > INTERIM_ANSWERS_MAX || bytes > HEAD_BYTES_MAX;
  };
}

/** The answer to a request is longer than any that is read. */
class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
  readonly code = 'ANSWER_TOO_LONG';
}

/** How often bytes are counted that announce no data, such as those of TLS handshakes. */
const COUNT_MS = 50;

/**
 * Destroys a socket when more than so many bytes arrive in answer to one request. Requests are not pipelined, so a
 * request begins an answer.
 *
 * @param raw the connection below TLS; the server may send handshakes without end, of which `socket` counts no byte
 */
function watch(socket: Socket, raw: Socket, bytesMax: number): void {
  let written = 0;
  let read = 0;
  let start = 0;
  const count = (): void => {
    if (socket.bytesWritten !== written) start = read;
    written = socket.bytesWritten;
    read = raw.bytesRead;
    if (read - start > bytesMax) socket.destroy(new AnswerTooLongError('the answer is too long'));
  };
  // After the client: Node announces bytes that are waiting to the first listener only.
  setImmediate(() => socket.prependListener('readable', count));
  if (socket === raw) return;
  const timer = setInterval(count, COUNT_MS).unref();
  socket.once('close', () => clearInterval(timer));
}

/**
 * A connector whose sockets are destroyed when they send more than so many bytes in answer to one request.
 *
 * @param connect a connector of undici
 */
export function limitAnswers(connect: buildConnector.connector, bytesMax: number): buildConnector.connector {
  return (options, callback) => {
    const secure = options.protocol === 'https:';
    const port = options.port || (secure ? '443' : '80');
    connect({ ...options, protocol: 'http:', port }, (...dialled) => {
      const [failed, raw] = dialled;
      if (failed !== null || !secure) {
        callback(...dialled);
        if (failed === null) watch(raw, raw, bytesMax);
        return;
      }
      connect({ ...options, httpSocket: raw }, (...args) => {
        const [error, socket] = args;
        callback(...args);
        if (error === null) watch(socket, raw, bytesMax);
      });
    });
  };
}
