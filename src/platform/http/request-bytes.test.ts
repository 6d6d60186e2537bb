import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../kernel/errors.ts';
import { requestBytes } from './request-bytes.ts';

type Read = (request: IncomingMessage) => Promise<string>;

/** A socket to a server that answers with the result of `read`, or with the status of its error. */
async function talk(read: Read): Promise<Socket> {
  const server = createServer((request, response) => {
    read(request).then(
      (text) => response.end(text),
      (error: unknown) => {
        const { status = 500, headers = {} } = error instanceof ApiError ? error : {};
        response.writeHead(status, headers).end();
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n');
  return socket;
}

const whole =
  (silenceMs: number): Read =>
  async (request) => {
    const parts: Buffer[] = [];
    for await (const part of requestBytes(request, silenceMs)) parts.push(part);
    return Buffer.concat(parts).toString();
  };

const answerOf = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

test('a body that arrives is read to its end', async () => {
  const socket = await talk(whole(30_000));
  socket.write('01234');
  socket.write('56789');
  expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 200 .*0123456789$/s);
});

test.each(['', '01234'])('a sender that stops after %j gets 408 and is disconnected', async (sent) => {
  const socket = await talk(whole(30));
  socket.write(sent);
  const answer = await answerOf(socket);
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toMatch(/connection: close/i);
});

test('a sender that disconnects ends the reading', async () => {
  const ended = Promise.withResolvers<unknown>();
  const socket = await talk((request) =>
    whole(30_000)(request).catch((error: unknown) => {
      ended.resolve(error);
      throw error;
    }),
  );
  socket.write('01234', () => socket.destroy());
  expect(await ended.promise).toMatchObject({ code: 'ECONNRESET' });
});

test('a route that needs only a part of the body stops early and answers on the same connection', async () => {
  const socket = await talk(async (request) => {
    for await (const part of requestBytes(request, 30_000)) return part.toString();
    return '';
  });
  socket.write('01234');
  expect(await answerOf(socket)).toMatch(/^HTTP\/1.1 200 .*01234$/s);
});
