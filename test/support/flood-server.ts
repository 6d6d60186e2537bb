/** A server that never stops sending: it answers each connection with a beginning and then repeats one text. */
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { atEnd } from './at-end.ts';

export interface Flood {
  readonly port: number;
  /** Bytes that the client's side has taken, kernel buffers included. */
  readonly taken: () => number;
}

/** Bytes of one write. */
const PIECE = 16 * 1024;

/** @param tls key and certificate; absent: plain HTTP */
export async function startFlood(
  beginning: string,
  repeated: string,
  tls?: { readonly key: string; readonly cert: string },
): Promise<Flood> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const piece = Buffer.from(repeated.repeat(Math.ceil(PIECE / repeated.length)), 'latin1');
  const talk = (socket: Socket): void => {
    sockets.add(socket);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece, () => (taken += piece.length)));
    };
    socket.on('error', () => socket.destroy());
    socket.on('drain', more);
    socket.once('data', () => {
      socket.write(Buffer.from(beginning, 'latin1'));
      more();
    });
  };
  const server = tls === undefined ? createServer(talk) : createTlsServer(tls, talk);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { port: address.port, taken: () => taken };
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** Floods that a limit of the body alone does not stop: description, beginning, repeated text. */
export const FLOODS = [
  ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['interim answers with long heads', '', `HTTP/1.1 102 Processing\r\nx: ${'x'.repeat(8_000)}\r\n\r\n`],
  ['a reason phrase', 'HTTP/1.1 200 ', 'x'],
  ['empty lines', '', '\r\n'],
  ['a head', 'HTTP/1.1 200 OK\r\nx: ', 'x'],
  ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'],
  ['a chunk extension', `${CHUNKED}1;`, 'x'],
  ['chunks of a byte', CHUNKED, '1\r\nx\r\n'],
  ['trailers', `${CHUNKED}0\r\n`, 'x: y\r\n'],
  ['a body', 'HTTP/1.1 200 OK\r\n\r\n', 'x'],
  ['answers', '', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
] as const;
