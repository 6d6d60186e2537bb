/**
 * Resolves names by asking the name servers directly, without a thread: a name server that does not answer must not
 * block other lookups. Afterwards it asks the system, which also knows the hosts file.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { createSystemLookup } from './system-lookup.ts';

/** Every address of a name; rejects when it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const QUERY_MS = 2_000;
const TRIES = 2;
/** Errors after which the system is asked: the name servers have no address. */
const NOT_IN_DNS = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'ESERVFAIL', 'EREFUSED', 'EBADNAME']);

const isLocalhost = (hostname: string): boolean => /^(?:.*\.)?localhost\.?$/i.test(hostname);

const codeOf = (reason: unknown): string =>
  reason instanceof Error && 'code' in reason ? String(reason.code) : '';

/** Resolves by the configured name servers, IPv4 first. */
export function createResolveHost(): ResolveHost {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
  const askSystem = createSystemLookup(lookup);
  return async (hostname) => {
    // RFC 6761: name servers are never asked for localhost.
    if (isLocalhost(hostname)) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    if (!reasons.every((reason) => NOT_IN_DNS.has(codeOf(reason)))) throw reasons[0];
    return askSystem(hostname, reasons[0]);
  };
}
