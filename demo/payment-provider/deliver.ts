/** Signs the provider's events and sends them, as the provider does: at least once, in any order. */
import { createHmac } from 'node:crypto';
import type { ProviderEvent } from './state.ts';

const TIMEOUT_MS = 10_000;

/** @param seconds since the epoch, by the receiver's clock */
export const signatureHeader = (secret: string, body: string, seconds: number): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;

export interface Target {
  readonly url: string;
  /** Of the platform's own events, and of those of connected accounts. */
  readonly secrets: readonly [platform: string, connected: string];
}

/**
 * Sends one event.
 *
 * @param now the service's clock
 * @returns the status; 0 without an answer
 */
export async function deliver(target: Target, event: ProviderEvent, now: () => number): Promise<number> {
  const body = JSON.stringify(event, null, 2);
  const secret = target.secrets[event.account === undefined ? 0 : 1];
  try {
    const { status } = await fetch(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signatureHeader(secret, body, Math.floor(now() / 1000)),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return status;
  } catch {
    return 0;
  }
}
