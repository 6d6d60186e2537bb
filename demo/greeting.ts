/** What a start in development prints for somebody who sees the service for the first time. */
import { DEMO_PASSWORD } from './identity/users.ts';
import { PAST_OWNER } from './past/past-shop.ts';
import { type Addresses, DEFAULT_ADDRESSES } from './tour/addresses.ts';

/** Four lines: the description, who to sign in as, the tour, and the walk-through. */
export function greeting(addresses: Addresses, hasPast: boolean): string {
  const { api, demo } = addresses;
  const options = (['api', 'demo'] as const)
    .filter((name) => addresses[name] !== DEFAULT_ADDRESSES[name])
    .map((name) => ` --${name} ${addresses[name]}`);
  const tour = `npm run tour${options.length === 0 ? '' : ` --${options.join('')}`}`;
  const owner = hasPast
    ? `${PAST_OWNER} (a shop that has traded for weeks), or any address`
    : 'any e-mail address';
  return [
    `API description:        ${api}/docs`,
    `Sign in as:             ${owner}; password ${DEMO_PASSWORD}; at ${demo}`,
    `Try it:                 ${tour}   (in another terminal)`,
    'The same with curl:     docs/walk-through.md',
  ].join('\n');
}
