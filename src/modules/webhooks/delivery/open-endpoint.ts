import type { KeyObject } from 'node:crypto';
import type { Secrets } from '../../../platform/crypto/secrets.ts';
import { secretContext } from '../domain/secret-context.ts';
import { signingKey } from '../domain/sign.ts';
import type { OwnedEndpoint } from '../store/endpoints.ts';

/** An endpoint with its address parsed and its secrets opened, as attempts need it. */
export interface OpenEndpoint {
  readonly row: OwnedEndpoint;
  readonly url: URL;
  /** Keys that sign at an instant of the service's clock: the newest, and replaced ones for a while. */
  keysAt(now: number): readonly KeyObject[];
}

/** @throws Error for a secret that no present key opens */
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
