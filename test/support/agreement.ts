/** The marketplace's terms: publishes versions, and accepts them. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer, TestApp, TestSeller } from './app.ts';
import { callInternal } from './internal.ts';
import { apply, orderEvent } from './orders.ts';

export const DAY_MS = 86_400_000;
export const BASE = '/seller-agreement';
/** Of the sellers that tests make. */
export const STATEMENT = 'I accept these terms for Test Goods.';
export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
export const iso = (ms: number) => new Date(ms).toISOString();

interface State {
  readonly code?: string;
  readonly status: string;
  readonly current: { readonly version: string; readonly text_sha256: string } | null;
  readonly accepted: { readonly version: string } | null;
  readonly due_at: string | null;
  readonly waiting_on: string;
  readonly action: { readonly method: string; readonly href: string } | null;
  readonly can_accept: boolean;
  readonly statement: string;
}
export interface Accepted {
  readonly code?: string;
  readonly acceptance_id: string;
  readonly version: string;
  readonly receipt: string;
  readonly receipt_sha256: string;
}
export type Caller = Pick<TestSeller, 'call'>;

export const outcome = ({ status, body }: Answer<{ readonly code?: string }>) => [status, body?.code];
export const stateOf = async (seller: Caller) => (await seller.call<State>('GET', BASE)).body;
export const accept = (seller: Caller, version: string, more: object = {}) =>
  seller.call<Accepted>('POST', `${BASE}/acceptances`, {
    json: { version, text_sha256: digestOf(`Terms ${version}`), statement: STATEMENT, ...more },
  });

/** The marketplace of an app. */
export function agreementOn(app: TestApp) {
  let published = 0;
  const now = () => app.app.services.now();
  /** Publishes a version that is newer than all others. */
  async function publish(more: Record<string, unknown> = {}): Promise<string> {
    published += 1;
    const version = `v${published}`;
    const text = `Terms ${version}`;
    const data = {
      ...{ version, title: 'Terms of sale', text, text_sha256: digestOf(text) },
      url: 'https://marketplace.example/terms',
      effective_on: iso(now() + published * DAY_MS).slice(0, 10),
      ...more,
    };
    await apply(app, orderEvent(app, { seller_id: 'slr_any' }, 'agreement.published', version, data));
    return version;
  }
  async function moveTo(instant: number): Promise<void> {
    const { status } = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: iso(instant) } });
    expect(status).toBe(200);
  }
  return { now, publish, moveTo };
}
