/**
 * The demo marketplace knows where its sellers send from, and fills the address in for those that have none. So a label
 * can be made right after the registration.
 */
import type { Logger } from '../../src/kernel/context.ts';
import type { OutboxEvent } from '../../src/marketplace/store/outbox-events.ts';
import { isObject, type SendToApi, textOf } from '../shop-owner.ts';

/** If the event is a registration, fills in the address of its seller. */
export type Welcome = (event: OutboxEvent) => Promise<void>;

interface WelcomeOptions {
  readonly send: SendToApi;
  /** A session of the owner, with a second factor. */
  readonly session: (email: string) => Promise<string>;
  readonly log: Logger;
}

const ADDRESS = {
  line1: '5 Kiln Street',
  city: 'Daylesford',
  state: 'VIC',
  postcode: '3460',
  country: 'AU',
} as const;
const ADDRESSES = ['dispatch_address', 'return_address'] as const;
const PATH = '/sellers/me';

export const createWelcome =
  ({ send, session, log }: WelcomeOptions): Welcome =>
  async ({ type, data }) => {
    const object = isObject(data) && isObject(data['object']) ? data['object'] : {};
    const email = textOf(object['email']);
    if (type !== 'seller.registered' || email === '') return;
    try {
      const headers = {
        authorization: `Bearer ${await session(email)}`,
        'content-type': 'application/json',
      };
      const { body } = await send({ method: 'GET', path: PATH, headers });
      if (!isObject(body) || ADDRESSES.some((name) => body[name] !== null)) return;
      const change = JSON.stringify({ dispatch_address: ADDRESS });
      const { status } = await send({ method: 'PATCH', path: PATH, headers, body: change });
      if (status !== 200) throw new Error(`PATCH ${PATH}: ${status}`);
    } catch (error) {
      log.warn({ err: error }, 'the demo marketplace could not fill in the address of a seller');
    }
  };
