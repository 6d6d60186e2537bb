/** The provider's own client library, without retries of its own: the jobs of the service retry with their keys. */
import type Stripe from 'stripe';
import { ProviderRefused, ProviderUnavailable } from './provider.ts';

const TIMEOUT_MS = 20_000;
/** The clocks of both sides may differ by this. */
export const SKEW_S = 3_600;
const UNKNOWN = 'unknown';

/** @param apiBase address of the API */
export async function openClient(apiKey: string, apiBase: string): Promise<Stripe> {
  // The library is loaded only where it is used.
  const { default: Client } = await import('stripe');
  const { hostname, port, protocol } = new URL(apiBase);
  const isHttps = protocol === 'https:';
  return new Client(apiKey, {
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    host: hostname,
    port: port === '' ? (isHttps ? 443 : 80) : port,
    protocol: isHttps ? 'https' : 'http',
  });
}

/** The key was sent before with other parameters. */
const KEY_OF_ANOTHER = 'idempotency_error';

/** A wrong key of the service, and a key that was used otherwise, say nothing about the seller. */
const isOwnFault = (status: number, type: string): boolean => status === 401 || type === KEY_OF_ANOTHER;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : UNKNOWN);

/**
 * Calls the provider.
 *
 * @throws ProviderUnavailable without an answer, for 409, 429 and 5xx; ProviderRefused for another error
 */
export async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { statusCode, code, rawType } = error as {
      readonly statusCode?: unknown;
      readonly code?: unknown;
      readonly rawType?: unknown;
    };
    const status = typeof statusCode === 'number' ? statusCode : 500;
    const again = status >= 500 || status === 409 || status === 429 || isOwnFault(status, textOf(rawType));
    // Messages of the provider may hold the key of the service or data of the seller.
    if (!again) throw new ProviderRefused(textOf(code));
    // A 409 says that a request with the key is running.
    const isOfAnother = rawType === KEY_OF_ANOTHER && status !== 409;
    const isKeySpent = statusCode !== undefined && (status >= 500 || isOfAnother);
    throw new ProviderUnavailable(`the payment provider does not answer: ${status} ${textOf(code)}`, {
      isKeySpent,
    });
  }
}

/**
 * Looks whether something was made. A refused look says nothing about it, so the request is repeated later; taken for a
 * refusal, it would let a second one be made.
 */
export async function looking<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await calling(look);
  } catch (cause) {
    if (!(cause instanceof ProviderRefused)) throw cause;
    throw new ProviderUnavailable(`the payment provider shows nothing: ${cause.code}`, { cause });
  }
}
