/** Callbacks of the payment provider that arrive in pieces, or while the database goes away. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { signatureHeader } from '../../../../demo/payment-provider/deliver.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { paymentStage, SECRETS } from '../../../../test/support/payment-provider.ts';
import { runOn, withDatabase } from '../../../../test/support/test-server.ts';

const stage = await paymentStage();
const { app, receiver } = stage;

const eventOf = (id: string, account: string): string =>
  JSON.stringify({
    ...{ id, object: 'event', type: 'account.updated', created: 1, livemode: false },
    ...{ account, data: { object: {} } },
  });
/** Begins a callback; without a length its body is sent in chunks. */
function begin(body: string, headers: Readonly<Record<string, string | number>> = {}): ClientRequest {
  const now = Math.floor(app.app.services.now() / 1000);
  const sent = request(receiver, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'stripe-signature': signatureHeader(SECRETS[0], body, now),
      ...headers,
    },
  });
  sent.on('error', () => undefined);
  return sent;
}
async function answerTo(sent: ClientRequest) {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = JSON.parse(await text(answer)) as { readonly code?: string };
  return { status: answer.statusCode, code: body.code, headers: answer.headers };
}
async function post(body: string) {
  const sent = begin(body);
  sent.end(body);
  return (await answerTo(sent)).status;
}
const stored = (id: string) =>
  stage.rows<{ decision: string | null }>('select decision from provider_callback where event_id = $1', [id]);
const decided = (id: string) =>
  eventually(
    () => stored(id),
    (rows) => rows.length > 0 && rows.every(({ decision }) => decision !== null),
  );

test('a callback in chunks of one byte is taken; one that stops in the middle leaves nothing', async () => {
  const { account } = await stage.paidSeller();
  const body = eventOf('evt_chunks', account);
  const sent = begin(body);
  for (const byte of Buffer.from(body)) sent.write(Buffer.from([byte]));
  sent.end();
  expect(await answerTo(sent)).toMatchObject({ status: 200 });
  expect(await decided('evt_chunks')).toHaveLength(1);

  const half = eventOf('evt_half', account);
  const cut = begin(half, { 'content-length': half.length });
  cut.write(half.slice(0, -1));
  await once(cut, 'socket');
  cut.destroy();
  expect(await post(eventOf('evt_next', account))).toBe(200);
  expect(await decided('evt_next')).toHaveLength(1);
  expect(await stored('evt_half')).toEqual([]);
});

test('two signatures, an encoded body and a signature of other bytes are refused, and nothing is stored', async () => {
  const body = eventOf('evt_refused', 'acct_1');
  const signature = signatureHeader(SECRETS[0], body, Math.floor(app.app.services.now() / 1000));
  const answers = [];
  for (const [sent, headers] of [
    [body, { 'stripe-signature': [signature, signature] }],
    [body, { 'stripe-signature': `${signature},v1=${'0'.repeat(4_096)}` }],
    [body, { 'content-encoding': 'gzip' }],
    [body, { 'content-encoding': 'identity, gzip' }],
    [`${body} `, { 'stripe-signature': signature }],
    [body.replace('"id"', '"id":"evt_other","id"'), { 'stripe-signature': signature }],
  ] as const) {
    const one = begin(body, headers as Readonly<Record<string, string>>);
    one.end(sent);
    const { status, code } = await answerTo(one);
    answers.push([status, code]);
  }
  const [signed, encoded] = [
    [401, 'signature_invalid'],
    [415, 'content_encoding_unsupported'],
  ];
  expect(answers).toEqual([signed, signed, encoded, encoded, signed, signed]);
  expect(await stored('evt_refused')).toEqual([]);
  expect(await stored('evt_other')).toEqual([]);
});

test('a callback of unknown length is read up to the limit only', async () => {
  const sent = begin('{}');
  const answered = answerTo(sent);
  const piece = Buffer.alloc(64 * 1024, 0x20);
  for (let count = 0; count < 32 && !sent.destroyed; count += 1) sent.write(piece);
  expect(await answered).toMatchObject({ status: 413, code: 'payload_too_large' });
  sent.destroy();
});

test('while the database is away nothing is acknowledged; the repeated callback is taken once', async () => {
  const { account } = await stage.paidSeller();
  const body = eventOf('evt_away', account);
  const { adminUrl } = app.database;
  const database = new URL(adminUrl).pathname.slice(1);
  const outside = (...statements: string[]) =>
    runOn(withDatabase(adminUrl, 'postgres'), async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const sent = begin(body, { 'content-length': body.length });
  sent.write(body.slice(0, 20));
  await once(sent, 'socket');
  await outside(
    `alter database "${database}" connection limit 0`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
  );
  sent.end(body.slice(20));
  const { status, code, headers } = await answerTo(sent);
  await outside(`alter database "${database}" connection limit -1`);
  expect([status, code, headers['retry-after']]).toEqual([503, 'unavailable', '1']);
  expect(await stored('evt_away')).toEqual([]);
  const again = await eventually(
    () => post(body),
    (answered) => answered === 200,
  );
  expect([again, await post(body)]).toEqual([200, 200]);
  expect(await decided('evt_away')).toHaveLength(1);
});
