import type { KeyObject } from 'node:crypto';
import type { Secrets } from '../../../platform/crypto/secrets.ts';
import { secretContext } from '../domain/secret-context.ts';
import { signingKey } from '../domain/sign.ts';
import type { OwnedEndpoint } from '../store/endpoints.ts';

/** An endpoint for attempts: its address is parsed and its secrets are decrypted. */
export interface OpenEndpoint {
  readonly row: OwnedEndpoint;
  readonly url: URL;
  /** The keys that sign a request at an instant of the service's clock: the newest, and replaced ones for a while. */
  keysAt(now: number): readonly KeyObject[];
}

/** @throws Error if no key opens a secret */
export function openEndpoint(row: OwnedEndpoint, secrets: Pick<Secrets, 'open'>): OpenEndpoint {
  const keyOf = (sealed: string): KeyObject =>
    signingKey(secrets.open(sealed, secretContext(row.endpoint_id)));
  const newest = keyOf(row.secret);
  const retired = row.retired_secrets.map(({ secret, until }) => ({
    key: keyOf(secret),
    until: Date.parse(until),
  }));
  return {
    row,
    url: new URL(row.url),
    keysAt: (now) => [newest, ...retired.filter(({ until }) => until > now).map(({ key }) => key)],
  };
}
