/**
 * The limit of deliveries: a bare loop of undici that signs and sends one body `count` times, `concurrency` at once.
 * No database, no records, no checks. Runs as a process of its own: port, count, concurrency, bytes.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { Agent } from 'undici';

const [port, count = 0, concurrency = 1, bytes = 0] = process.argv.slice(2).map(Number);
const key = randomBytes(32);
const body = JSON.stringify({ data: 'x'.repeat(bytes) });
const agent = new Agent({ connections: concurrency, pipelining: 1 });
let sent = 0;

function headers(): Record<string, string> {
  const id = `dlv_${sent}`;
  const seconds = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}

async function lane(): Promise<void> {
  while (sent < count) {
    sent += 1;
    const answer = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path: '/',
      method: 'POST',
      headers: headers(),
      body,
    });
    await answer.body.dump();
  }
}

const from = performance.now();
await Promise.all(Array.from({ length: concurrency }, lane));
process.send?.(performance.now() - from);
process.disconnect();
