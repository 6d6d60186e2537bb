/** FAQs for tests. */
import type { Answer, TestSeller } from './app.ts';
import { create } from './products.ts';

export interface Faq {
  readonly faq_id: string;
  readonly question: string;
  readonly status: string;
  readonly publication: string;
  readonly text_version: number;
  readonly live_version: number | null;
  readonly submitted_version: number | null;
  readonly reasons: readonly object[];
  readonly version: number;
  readonly [field: string]: unknown;
}

let serial = 0;

/** Asks for a new FAQ with a question of its own. */
export function postFaq(seller: TestSeller, json: object): Promise<Answer<Faq>> {
  serial += 1;
  const texts = { question: `Is it question ${serial}?`, answer: 'It is.' };
  return seller.call<Faq>('POST', '/faqs', { json: { scope: 'product', ...texts, ...json } });
}

/** Makes a FAQ, of a new product unless the body names what it is about. */
export async function makeFaq(seller: TestSeller, json: object = {}): Promise<Faq> {
  const isNamed = 'product_id' in json || 'brand' in json;
  const about = isNamed ? {} : { product_id: (await create(seller)).product_id };
  const { status, body, text } = await postFaq(seller, { ...about, ...json });
  if (status !== 201) throw new Error(`faq: ${status} ${text}`);
  return body;
}
