/** A trace from a request to everything that it causes: calls, events, deliveries, jobs; and its spans. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { QUOTE_INPUT_EXAMPLE } from '../src/modules/shipping/schemas/quote.ts';
import { startTestApp, type TestApp, type TestSeller } from './support/app.ts';
import { CARRIER_ENV, startCarrierServer } from './support/carrier-server.ts';
import { callInternal } from './support/internal.ts';
import { startReceiver } from './support/receiver.ts';
import { addEndpoint, POLL } from './support/webhook-seller.ts';

interface Sent {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** Starts an OpenTelemetry collector that keeps what it receives. */
async function startCollector() {
  const spans: Sent[] = [];
  const headers: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      headers.push(request.headers['x-key']);
      if (request.url === '/v1/traces')
        for (const { scopeSpans } of JSON.parse(text).resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return { spans, headers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const [carrier, collector] = [await startCarrierServer(), await startCollector()];
afterAll(() => carrier.stop());
const ENV = {
  ...CARRIER_ENV,
  CARRIER_API_BASE_URL: carrier.url,
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
};
const plain = await startTestApp(ENV);
const recording = await startTestApp({
  ...ENV,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key',
});

const newTrace = (flags = '01') => {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}` };
};

/** Adds a product in a trace, and returns the headers of the delivery of its event. */
async function deliveryOf(app: TestApp, seller: TestSeller, headers: Record<string, string>) {
  const receiver = await startReceiver();
  await addEndpoint(seller, receiver.url);
  const json = { seller_sku: 'T-1', title: 'Mug', status: 'draft' };
  const added = await seller.call('POST', '/products', { json, headers });
  expect(added.status).toBe(201);
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  const { body } = await seller.call<{ data: { correlation: object }[] }>('GET', '/webhooks/events');
  const outbox = await callInternal(app, 'GET', '/internal/v1/outbox?limit=1000');
  return { got: receiver.received[0], pulled: body.data.at(-1), outbox: outbox.text };
}

/** Asks for a quote in a trace, and returns the headers that the carrier got. */
async function askedCarrier(seller: TestSeller, headers: Record<string, string>) {
  const from = carrier.asked.length;
  const { status } = await seller.call('POST', '/shipping/quotes', { json: QUOTE_INPUT_EXAMPLE, headers });
  expect(status).toBe(201);
  return carrier.asked.slice(from).map((asked) => asked.headers);
}

describe('where no spans are recorded', () => {
  test('an outgoing call carries the trace headers of its request unchanged, or none', async () => {
    const seller = await plain.seller();
    const { traceparent } = newTrace();
    const given = { traceparent, tracestate: 'vendor=1' };
    for (const headers of await askedCarrier(seller, given)) expect(headers).toMatchObject(given);
    for (const headers of await askedCarrier(seller, {})) expect(headers).not.toHaveProperty('traceparent');
  });

  test('the event shows the trace, and its delivery carries it', async () => {
    const seller = await plain.seller();
    const { traceparent } = newTrace();
    const { got, pulled, outbox } = await deliveryOf(plain, seller, { traceparent });
    expect(pulled?.correlation).toMatchObject({ traceparent });
    expect(got?.event).toEqual(pulled);
    expect(got?.headers['traceparent']).toBe(traceparent);
    expect(outbox).toContain(traceparent);
  });

  test('the trace of an event of the marketplace continues', async () => {
    const seller = await plain.seller();
    const { traceparent } = newTrace();
    const event = {
      ...{ specversion: '1.0', id: randomBytes(8).toString('hex'), source: '/trace' },
      ...{
        type: 'marketplace.seller.standing_changed',
        subject: seller.seller_id,
        sellerid: seller.seller_id,
      },
      ...{ time: new Date().toISOString(), data: { verified: true, api_access: true, plan: 'Big' } },
    };
    const answer = await fetch(`${plain.internalUrl}/internal/v1/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${plain.internalToken}`,
        'content-type': 'application/cloudevents+json',
        traceparent,
      },
      body: JSON.stringify(event),
    });
    expect(await answer.json()).toMatchObject({ results: [{ status: 'applied' }] });
    const seen = async () =>
      (await seller.call<{ data: object[] }>('GET', '/webhooks/events')).body.data.at(-1);
    await expect.poll(seen, POLL).toMatchObject({
      type: 'account.health_changed',
      correlation: { traceparent },
    });
  });
});

describe('where spans are recorded', () => {
  const spansOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

  test('the request, its calls and the delivery of its event are spans of one trace', async () => {
    const seller = await recording.seller();
    const { traceId, traceparent } = newTrace();
    const [asked] = await askedCarrier(seller, { traceparent });
    const { got } = await deliveryOf(recording, seller, { traceparent });
    await expect.poll(() => spansOf(traceId).length, POLL).toBeGreaterThanOrEqual(4);
    const spans = spansOf(traceId);
    const request = spans.find(({ name }) => name === 'POST shipping.quotes.create');
    expect(request).toMatchObject({ kind: 2, parentSpanId: traceparent.split('-')[2] });
    expect(request?.attributes).toContainEqual({
      key: 'http.response.status_code',
      value: { intValue: 201 },
    });
    const call = spans.find(({ spanId }) => spanId === String(asked?.['traceparent']).split('-')[2]);
    expect(call).toMatchObject({ kind: 3, parentSpanId: request?.spanId });
    const created = spans.find(({ name }) => name === 'POST products.create');
    const delivery = spans.find(({ spanId }) => spanId === String(got?.headers['traceparent']).split('-')[2]);
    expect(delivery).toMatchObject({ kind: 3, parentSpanId: created?.spanId });
    expect(new Set(collector.headers)).toEqual(new Set(['a key']));
  });

  test('a request without a trace begins one; a trace that its caller does not record is not recorded', async () => {
    const seller = await recording.seller();
    const { traceId, traceparent } = newTrace('00');
    const [asked] = await askedCarrier(seller, { traceparent });
    expect(asked?.['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    const [own] = await askedCarrier(seller, {});
    const [, begun = ''] = String(own?.['traceparent']).split('-');
    await expect.poll(() => spansOf(begun).length, POLL).toBeGreaterThanOrEqual(2);
    expect(spansOf(traceId)).toEqual([]);
  });

  test('a job continues the trace of the request that added it', async () => {
    const [seller, receiver] = [await recording.seller(), await startReceiver()];
    const { endpoint_id } = await addEndpoint(seller, receiver.url);
    const { traceId, traceparent } = newTrace();
    const path = `/webhooks/endpoints/${endpoint_id}/replay`;
    const json = { from: new Date(0).toISOString() };
    const { status } = await seller.call('POST', path, { json, headers: { traceparent } });
    expect(status).toBe(202);
    const jobs = () => spansOf(traceId).filter(({ name }) => name === 'job webhooks.replay');
    await expect.poll(jobs, POLL).toMatchObject([{ kind: 5 }]);
    expect(spansOf(traceId).map(({ spanId }) => spanId)).toContain(jobs()[0]?.parentSpanId);
  });
});
