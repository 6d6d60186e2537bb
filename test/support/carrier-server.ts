/**
 * Imitates Australia Post's Shipping and Tracking API by its reference: HTTP Basic with key and password, the account
 * in a header, prices by item and product, shipments with an article for each item, deletion, tracking, errors as a
 * list. A repeated reference returns the same shipment. A test can make it slow or broken.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CARRIER_ENV = {
  CARRIER_API_KEY: 'key-0123456789',
  CARRIER_API_PASSWORD: 'pass:word',
  CARRIER_API_ACCOUNT: '0004567890',
  CARRIER_API_TIMEOUT_MS: '1500',
} as const;
const AUTHORIZATION = `Basic ${Buffer.from(`${CARRIER_ENV.CARRIER_API_KEY}:${CARRIER_ENV.CARRIER_API_PASSWORD}`).toString('base64')}`;

interface Item {
  readonly item_reference?: string;
  readonly product_id?: string;
  readonly weight: number;
  readonly length: number;
}
interface Shipment {
  readonly shipment_reference: string;
  readonly to: { readonly suburb: string; readonly lines: string[] };
  readonly items: Item[];
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export type Answer = (response: ServerResponse) => void;

export interface CarrierServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Shipments by their id. */
  readonly shipments: Map<string, { shipment_reference: string; answer: object }>;
  /** Ids of shipments that can no longer be deleted. */
  readonly manifested: Set<string>;
  /** Answers for the next requests, before the normal ones. */
  next: Answer[];
  /** How an answer is sent after the request was carried out; normal at first. */
  deliver: (answer: Answer, asked: Asked) => Answer | Promise<Answer>;
  stop(): Promise<void>;
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const errors = (status: number, code: string, message: string): Answer =>
  json(status, { errors: [{ code, name: 'ERROR', message, field: 'shipments[0]' }] });

/** Faulty answers. */
export const FAULTS: Readonly<Record<string, Answer>> = {
  silence: () => undefined,
  'status 500': json(500, { errors: [] }),
  'status 503 without a body': (response) => void response.writeHead(503).end(),
  'too many requests': json(429, { errors: [] }, { 'retry-after': '0' }),
  'too many requests for long': json(429, { errors: [] }, { 'retry-after': '3600' }),
  'a page in HTML': (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Maintenance</html>'),
  'half an answer': (response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('{"items":', () => response.destroy());
  },
  'another shape': json(200, {
    items: { prices: 'none' },
    shipments: [{ shipment_id: 5 }],
    tracking_results: 'x',
  }),
  null: json(200, null),
  'prices of other items': json(200, { items: [] }),
  'an amount that is none': json(200, {
    items: [
      {
        prices: [
          { product_id: '7D55', calculated_price: 'free' },
          { product_id: '7J55', calculated_price: -1 },
        ],
      },
    ],
  }),
  'a redirect': (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  'refused credentials': json(401, { errors: [{ code: '401', message: 'API key is not valid' }] }),
  'without an end': (response) => {
    const more = (): void => {
      if (!response.destroyed) response.write('x'.repeat(64 * 1024), more);
    };
    more();
  },
};

const PRICES: Readonly<Record<string, number>> = { '7D55': 9.7, '7J55': 13.35 };

function price({ to, items }: { to: { postcode: string }; items: Item[] }): Answer {
  if (to.postcode === '9999') return errors(400, '42005', 'The destination postcode is not served.');
  return json(200, {
    items: items.map(() => ({
      prices: Object.entries(PRICES).map(([product_id, calculated_price]) => ({
        product_id,
        product_type: product_id === '7D55' ? 'PARCEL POST' : 'EXPRESS POST',
        calculated_price,
        calculated_price_ex_gst: Number((calculated_price / 1.1).toFixed(2)),
      })),
    })),
  });
}

function ship(server: CarrierServer, { shipments }: { shipments: Shipment[] }): Answer {
  const [shipment] = shipments;
  if (shipment === undefined) return errors(400, '44001', 'Shipments are missing.');
  if (shipment.to.suburb === 'Nowhere')
    return errors(400, '44003', 'The suburb does not match the postcode.');
  const known = [...server.shipments.values()].find(
    ({ shipment_reference }) => shipment_reference === shipment.shipment_reference,
  );
  if (known !== undefined) return json(201, known.answer);
  const shipment_id = randomUUID();
  const first = server.shipments.size + 1;
  const items = shipment.items.map(({ item_reference, product_id }, index) => ({
    item_id: randomUUID(),
    item_reference,
    product_id,
    tracking_details: {
      consignment_id: '2JD0206036',
      article_id: `2JD020603601000${String(900_000 + first * 20 + index)}`,
    },
    item_summary: { total_cost: PRICES[product_id ?? ''] ?? 0, status: 'Created' },
  }));
  const total_cost = Number(items.reduce((sum, item) => sum + item.item_summary.total_cost, 0).toFixed(2));
  const { shipment_reference } = shipment;
  const summary = { total_cost, number_of_items: items.length, status: 'Created' };
  const answer = { shipments: [{ shipment_id, shipment_reference, items, shipment_summary: summary }] };
  server.shipments.set(shipment_id, { shipment_reference, answer });
  return json(201, answer);
}

function track(number: string): Answer {
  if (!number.endsWith('1'))
    return json(200, {
      tracking_results: [
        { tracking_id: number, errors: [{ code: 'ESB-10001', name: 'Invalid tracking ID' }] },
      ],
    });
  const events = [
    { location: 'CARLTON VIC', description: 'Delivered', date: '2026-06-30T14:05:00+10:00' },
    {
      location: 'ALEXANDRIA NSW',
      description: 'Item processed at facility',
      date: '2026-06-29T03:11:00+10:00',
    },
    { location: 'X', description: 'Without a date', date: 'yesterday' },
  ];
  return json(200, {
    tracking_results: [
      { tracking_id: number, trackable_items: [{ article_id: number, events, status: 'Delivered' }] },
    ],
  });
}

function answer(server: CarrierServer, { method, path, headers, body }: Asked): Answer {
  if (
    headers.authorization !== AUTHORIZATION ||
    headers['account-number'] !== CARRIER_ENV.CARRIER_API_ACCOUNT
  )
    return errors(401, 'API_001', 'API key, password or account are not valid.');
  const url = new URL(path, 'http://carrier.test');
  if (method === 'POST' && url.pathname === '/shipping/v1/prices/items') return price(body as never);
  if (method === 'POST' && url.pathname === '/shipping/v1/shipments') return ship(server, body as never);
  if (method === 'GET' && url.pathname === '/shipping/v1/track')
    return track(url.searchParams.get('tracking_ids') ?? '');
  const id = /^\/shipping\/v1\/shipments\/([\w-]+)$/.exec(url.pathname)?.[1];
  if (method === 'DELETE' && id !== undefined && server.manifested.has(id))
    return errors(400, '44020', 'The shipment is manifested.');
  if (method === 'DELETE' && id !== undefined)
    return server.shipments.delete(id)
      ? (response) => void response.writeHead(200).end()
      : errors(404, '44013', 'No such shipment.');
  return errors(404, '404', 'No such resource.');
}

/** Starts the API on loopback. */
export async function startCarrierServer(): Promise<CarrierServer> {
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    const asked = { method, path: url, headers, body: text === '' ? undefined : JSON.parse(text) };
    server.asked.push(asked);
    const fault = server.next.shift();
    (fault ?? (await server.deliver(answer(server, asked), asked)))(response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: CarrierServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/shipping/v1`,
    asked: [],
    shipments: new Map(),
    manifested: new Set(),
    next: [],
    deliver: (given) => given,
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}
