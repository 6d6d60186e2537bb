/** The owner of a demo shop: signs in and calls the sellers' API like any seller. */
import type { Clock } from '../src/kernel/context.ts';

interface ApiAnswer {
  readonly status: number;
  /** Parsed JSON. */
  readonly body: unknown;
}

interface ApiRequest {
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request to the API, through a port or within the process. */
export type SendToApi = (request: ApiRequest) => Promise<ApiAnswer>;

export interface OwnerOptions {
  readonly send: SendToApi;
  /** A session of the marketplace, with a second factor. */
  readonly session: () => Promise<string>;
  /** The service's clock. */
  readonly now: Clock;
}

export interface Owner {
  /**
   * Registers the seller, or finds the registered one.
   *
   * @returns the seller's id
   */
  register(business: object): Promise<string>;
  get(path: string): Promise<ApiAnswer>;
  patch(path: string, body: object): Promise<ApiAnswer>;
  /**
   * @param key the Idempotency-Key
   * @param type of a body that is a file; default: CSV
   */
  post(path: string, key: string, body: object | string, type?: string): Promise<ApiAnswer>;
}

/** A token that expires within this time is exchanged before the request. */
const RENEW_BEFORE_MS = 60_000;
const JSON_TYPE = { 'content-type': 'application/json' };

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list, or of the `data` of a page. */
export function listOf(value: unknown): readonly Json[] {
  const list = isObject(value) ? value['data'] : value;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An owner who signs in with these sessions and renews the service's tokens before they expire. */
export function createOwner({ send, session, now }: OwnerOptions): Owner {
  let token = '';
  let endsAt = 0;

  async function bearer(): Promise<Readonly<Record<string, string>>> {
    if (now() > endsAt - RENEW_BEFORE_MS) {
      const body = JSON.stringify({ marketplace_token: await session() });
      const answer = await send({ method: 'POST', path: '/auth/exchange', headers: JSON_TYPE, body });
      const granted = isObject(answer.body) ? answer.body : {};
      if (answer.status !== 200) throw new Error(`exchange: ${answer.status} ${textOf(granted['code'])}`);
      token = textOf(granted['access_token']);
      endsAt = Date.parse(textOf(granted['expires_at']));
    }
    return { authorization: `Bearer ${token}` };
  }

  return {
    async register(business) {
      const headers = { ...JSON_TYPE, authorization: `Bearer ${await session()}` };
      const body = JSON.stringify(business);
      const answer = await send({ method: 'POST', path: '/auth/register', headers, body });
      const seller = isObject(answer.body) ? textOf(answer.body['seller_id']) : '';
      if (seller === '') throw new Error(`register: ${answer.status}`);
      return seller;
    },
    async get(path) {
      return send({ method: 'GET', path, headers: await bearer() });
    },
    async patch(path, body) {
      const headers = { ...(await bearer()), ...JSON_TYPE };
      return send({ method: 'PATCH', path, headers, body: JSON.stringify(body) });
    },
    async post(path, key, body, type = 'text/csv') {
      const file = typeof body === 'string';
      const typed = file ? { 'content-type': type } : JSON_TYPE;
      const headers = { ...(await bearer()), ...typed, 'idempotency-key': key };
      return send({ method: 'POST', path, headers, body: file ? body : JSON.stringify(body) });
    },
  };
}
