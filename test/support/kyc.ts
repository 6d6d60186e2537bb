/** Sellers whose identity the marketplace verifies, and the documents that they hand in. */
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { TestApp, TestSeller } from './app.ts';
import { callInternal } from './internal.ts';
import { orderEvent } from './orders.ts';
import { runOn } from './test-server.ts';

export const DAY_MS = 86_400_000;

interface Item {
  readonly item_id: string;
  readonly code: string;
  readonly status: string;
  readonly reasons: readonly { readonly code: string; readonly what_to_do: string }[];
  readonly documents: readonly { readonly attachment_id: string; readonly scan: string }[];
}
interface Case {
  readonly code?: string;
  readonly kyc_id: string | null;
  readonly status: string;
  readonly round: number;
  readonly waiting_on: string;
  readonly deadline: string | null;
  readonly items: readonly Item[];
}
interface Uploaded {
  readonly code?: string;
  readonly detail?: readonly { readonly type: string }[];
  readonly attachment_id: string;
  readonly content_type: string;
  readonly scan: string;
  readonly pages: number | null;
  readonly sha256: string;
}
type Caller = Pick<TestSeller, 'call'>;

export const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'grey' } });
export const PHOTO = await image(600, 800)
  .withExif({ IFD0: { Copyright: 'SECRET-METADATA' } })
  .jpeg()
  .toBuffer();
export const pdfOf = (...objects: string[]) =>
  Buffer.from(`%PDF-1.7\n${objects.join('\n')}\ntrailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n`, 'latin1');
export const PDF = pdfOf('1 0 obj << /Type /Catalog >> endobj', '2 0 obj << /Type /Page >> endobj');

/** What tests of an app do with its cases. */
export function kycOn(app: TestApp) {
  const now = () => app.app.services.now();
  const iso = (ms: number) => new Date(ms).toISOString();
  async function tell(seller: TestSeller, type: string, data: object, more: object = {}): Promise<string> {
    const event = orderEvent(app, seller, `kyc.${type}`, seller.seller_id, data, more);
    const [result] = await app.events({ ...event, id: randomUUID() });
    return result?.code ?? result?.status ?? '';
  }
  const read = async (seller: Caller): Promise<Case> => {
    const { body } = await seller.call<Case>('GET', '/kyc');
    return body;
  };
  const itemOf = async (seller: Caller, code: string): Promise<Item> => {
    const item = (await read(seller)).items.find((one) => one.code === code);
    if (item === undefined) throw new Error(`no item ${code}`);
    return item;
  };
  const send = (
    seller: Caller,
    itemId: string,
    body: Uint8Array,
    type = 'image/jpeg',
    query = '',
    headers: Readonly<Record<string, string>> = {},
  ) =>
    seller.call<Uploaded>('POST', `/kyc/items/${itemId}/documents${query}`, {
      body,
      headers: { 'content-type': type, ...headers },
    });
  const submit = (seller: Caller) =>
    seller.call<{ readonly code?: string; readonly items: readonly unknown[] }>('POST', '/kyc/submissions', {
      json: { declaration: true },
    });
  async function moveTo(instant: number, seller: TestSeller): Promise<TestSeller> {
    const { status } = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: iso(instant) } });
    expect(status).toBe(200);
    return seller.renew();
  }
  /** Hands everything in that a sole trader is asked for. */
  async function handIn(seller: Caller): Promise<void> {
    for (const { item_id, code, status } of (await read(seller)).items) {
      if (status === 'accepted') continue;
      const query = code === 'identity_document' ? '?type=passport' : '';
      expect((await send(seller, item_id, PHOTO, 'image/jpeg', query)).status).toBe(201);
    }
    expect((await submit(seller)).status).toBe(201);
  }
  async function asked(data: object = {}): Promise<TestSeller> {
    const seller = await app.seller({ plan: 'Small' });
    expect(await tell(seller, 'required', { required: true, entity_type: 'sole_trader', ...data })).toBe(
      'applied',
    );
    return seller;
  }
  /** The number of the seller's documents whose content is stored. */
  async function contentsOf({ seller_id }: TestSeller): Promise<number> {
    const { rows } = await runOn(app.database.adminUrl, (client) =>
      client.query<{ n: number }>(
        'select count(*)::int as n from attachment where seller_id = $1 and key_sealed is not null',
        [seller_id],
      ),
    );
    return rows[0]?.n ?? 0;
  }
  return { now, iso, tell, read, itemOf, send, submit, moveTo, handIn, asked, contentsOf };
}
