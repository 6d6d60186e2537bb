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

/**
 * Bytes that a client gets at once. A parser that has found an error works on to the end of what it has, and makes an
 * error object for each header in it.
 */
const PIECE_BYTES = 1024;
/** How often the bytes of TLS handshakes are counted: the client reads none of them. */
const COUNT_MS = 50;
/** What TLS may add to an answer. */
const TLS_BYTES_MAX = 64 * 1024;

/** Counts bytes in answer to one request. Requests are not pipelined, so a request begins an answer. */
function answerCounter(socket: Socket): (total: number) => number {
  let written = 0;
  let start = 0;
  let read = 0;
  return (total) => {
    if (socket.bytesWritten !== written) start = read;
    written = socket.bytesWritten;
    read = total;
    return total - start;
  };
}

/**
 * Destroys a socket when its client has read so many bytes in answer to one request and more have come. The client gets
 * them in pieces.
 *
 * @param raw the connection below TLS; the server may send handshakes without end, of which `socket` counts no byte
 */
function watch(socket: Socket, raw: Socket, bytesMax: number): void {
  const destroy = (): void => void socket.destroy(new AnswerTooLongError('the answer is too long'));
  const read = socket.read.bind(socket);
  const answered = answerCounter(socket);
  let total = 0;
  socket.read = (size?: number): unknown => {
    if (socket.destroyed) return null;
    const waiting = socket.readableLength;
    if (waiting > 0 && answered(total) >= bytesMax) {
      destroy();
      return null;
    }
    const piece: unknown = read(size ?? (waiting > 0 ? Math.min(PIECE_BYTES, waiting) : undefined));
    if (Buffer.isBuffer(piece)) total += piece.length;
    return piece;
  };
  if (socket === raw) return;
  const received = answerCounter(socket);
  const timer = setInterval(() => {
    if (received(raw.bytesRead) > bytesMax + TLS_BYTES_MAX) destroy();
  }, COUNT_MS).unref();
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
