/**
 * The limit of a receiver: bare `node:http` and `pg` on a pool of the same size; it verifies the signature of the raw
 * body, parses it, and inserts one row into a table of the same columns and indexes. Runs as a process of its own.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const [url = '', poolSize = '8', storeSecret = '', paymentSecret = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: Number(poolSize) });

interface Insert {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}
type Receive = (request: IncomingMessage, body: Buffer) => Insert;

const headerOf = ({ headers }: IncomingMessage, name: string): string => String(headers[name] ?? '');

function requireSame(given: Buffer, right: Buffer): void {
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw new Error('wrong signature');
}

const store: Receive = (request, body) => {
  const right = createHmac('sha256', storeSecret).update(body).digest();
  requireSame(Buffer.from(headerOf(request, 'x-shopify-hmac-sha256'), 'base64'), right);
  const { id, updated_at } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  const webhookId = headerOf(request, 'x-shopify-webhook-id');
  const digest = createHash('sha256').update(body).digest('hex');
  return {
    name: 'store',
    text: `insert into bare_delivery (seller_id, delivery_id, channel_id, topic, webhook_id, body_sha256, body, object_key,
                                      origin, status, received_at)
           values ('sel_bare', $1, 'chn_bare', $2, $3, $4, $5, $6, 'webhook', 'received', now())
               on conflict do nothing`,
    values: [
      `cdl_${webhookId}`,
      headerOf(request, 'x-shopify-topic'),
      webhookId,
      digest,
      JSON.stringify({ id, updated_at }),
      `order:${id}`,
    ],
  };
};

const payment: Receive = (request, body) => {
  const [, seconds = '', hex = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headerOf(request, 'stripe-signature')) ?? [];
  requireSame(
    Buffer.from(hex, 'hex'),
    createHmac('sha256', paymentSecret).update(`${seconds}.`).update(body).digest(),
  );
  const { id, type, account, created } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  return {
    name: 'payment',
    text: `insert into bare_callback (provider, event_id, callback_id, type, account, livemode, object_id, object_key, digest,
                                      created_at, received_at)
           values ('stripe', $1, 'pcb_bare', $2, $3, false, $3, $4, $5, to_timestamp($6), now())
               on conflict do nothing`,
    values: [id, type, account, `account ${account}`, createHash('sha256').update(body).digest(), created],
  };
};

const RECEIVERS: Readonly<Record<string, Receive>> = { '/store': store, '/payment': payment };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = (status: number, text: string): void => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    };
    Promise.resolve(RECEIVERS[request.url ?? '']?.(request, Buffer.concat(chunks)))
      .then((insert) => pool.query(insert as pg.QueryConfig))
      .then(
        () => answer(200, '{"received":true}'),
        (error: Error) => answer(500, error.message),
      );
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
