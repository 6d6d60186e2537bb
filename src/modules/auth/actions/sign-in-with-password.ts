import type { Recording } from '../../../kernel/context.ts';
import { fail } from '../../../kernel/errors.ts';
import { marketplaceErrors } from '../../../platform/crypto/marketplace-tokens.ts';
import { ask } from '../../../platform/net/ask.ts';
import type { Services } from '../../../platform/services.ts';
import { authErrors } from '../errors.ts';
import { exchangeSession, type SessionTokenBody } from './exchange-session.ts';

const MARKETPLACE_TIMEOUT_MS = 5_000;
/** A session has one or two tokens. */
const ANSWER_BYTES_MAX = 64 * 1024;
const RETRY_AFTER_SECONDS = '5';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const unavailable = (cause: unknown) =>
  fail(marketplaceErrors.marketplace_unavailable, { headers: { 'retry-after': RETRY_AFTER_SECONDS }, cause });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Signs in at the marketplace's token endpoint, because this service stores no passwords. */
async function marketplaceSession(services: Services, { username, password }: Credentials): Promise<string> {
  const { status, text } = await ask(`${services.marketplaceTokens.issuer}/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: username, password }),
    timeoutMs: MARKETPLACE_TIMEOUT_MS,
    bytesMax: ANSWER_BYTES_MAX,
  }).catch((cause: unknown) => {
    throw unavailable(cause);
  });
  if (status >= 400 && status < 500)
    throw fail(authErrors.invalid_grant, { facts: { error: 'invalid_grant' } });
  const body = status === 200 ? parse(text) : undefined;
  if (typeof body !== 'object' || body === null || !('access_token' in body))
    throw unavailable(new Error(`the token endpoint answered ${status}`));
  return String(body.access_token);
}

/**
 * The development login: exchanges a user name and a password of the marketplace for a service token. In development no
 * second factor is needed.
 *
 * @throws ApiError as {@link exchangeSession}, and 400 `invalid_grant`, 503 `marketplace_unavailable`
 */
export async function signInWithPassword(
  services: Services,
  credentials: Credentials,
  recording: Recording,
): Promise<SessionTokenBody> {
  const identity = await services.marketplaceTokens.verify(await marketplaceSession(services, credentials));
  const needsAal2 = services.config.APP_ENV !== 'development';
  return exchangeSession(services, identity, { ...recording, needsAal2 });
}
