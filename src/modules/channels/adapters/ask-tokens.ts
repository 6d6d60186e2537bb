/** The token endpoint of a store. Its requests and answers are secrets, so no error message has a part of them. */
import { ask } from '../../../platform/net/ask.ts';
import type { StorePlatform } from '../settings.ts';
import { requireAnswer, StoreUnreachable } from './store-errors.ts';

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 64 * 1024;
/** A hundred years; a date cannot say much more. */
const SECONDS_MAX = 3_155_760_000;

/** Tokens as the store gave them. A field that the answer lacks is undefined. */
export interface GivenTokens {
  readonly access: string;
  readonly scopes: readonly string[] | undefined;
  readonly accessSeconds: number | undefined;
  readonly refresh: string | undefined;
  readonly refreshSeconds: number | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const secondsOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? Math.min(value, SECONDS_MAX) : undefined;

function readTokens(text: string): GivenTokens {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = { ...(JSON.parse(text) as typeof fields) };
  } catch {
    throw new StoreUnreachable('the answer with the tokens is not JSON');
  }
  const access = textOf(fields['access_token']);
  if (access === undefined) throw new StoreUnreachable('the answer has no access token');
  return {
    access,
    scopes: textOf(fields['scope'])
      ?.split(',')
      .map((scope) => scope.trim()),
    accessSeconds: secondsOf(fields['expires_in']),
    refresh: textOf(fields['refresh_token']),
    refreshSeconds: secondsOf(fields['refresh_token_expires_in']),
  };
}

/** @throws StoreRefused, StoreUnreachable */
async function askForTokens(
  { addressOf, clientId, secrets: [secret] }: StorePlatform,
  shop: string,
  question: Readonly<Record<string, string>>,
): Promise<GivenTokens> {
  const form = new URLSearchParams({ client_id: clientId, client_secret: secret, ...question });
  const reply = await ask(`${addressOf(shop)}/admin/oauth/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    timeoutMs: TIMEOUT_MS,
    bytesMax: BYTES_MAX,
  }).catch((error: unknown) => {
    throw new StoreUnreachable(error instanceof Error ? error.name : 'failed');
  });
  requireAnswer(reply.status);
  return readTokens(reply.text);
}

/** Exchanges the code of a callback. */
export const exchangeCode = (platform: StorePlatform, shop: string, code: string): Promise<GivenTokens> =>
  askForTokens(platform, shop, { code, expiring: '1' });

export const refreshTokens = (platform: StorePlatform, shop: string, refresh: string): Promise<GivenTokens> =>
  askForTokens(platform, shop, { grant_type: 'refresh_token', refresh_token: refresh });
