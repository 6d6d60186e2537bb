/**
 * A receiver of webhooks: reads each request to its end and answers 204. After the message 'times' it records the delay
 * of each request since the instant of its event. Runs as a process of its own.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let count = 0;
let lastAt = 0;
let timed = false;
let times: number[] = [];
const instant = /"created_at":"([^"]+)"/;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    count += 1;
    lastAt = Date.now();
    if (timed) times.push(lastAt - Date.parse(instant.exec(Buffer.concat(chunks).toString())?.[1] ?? ''));
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
process.on('message', (question: 'count' | 'clear' | 'times') => {
  if (question === 'count') process.send?.({ count, lastAt, times });
  else {
    count = 0;
    times = [];
    timed = question === 'times';
    process.send?.({ count, lastAt, times });
  }
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
