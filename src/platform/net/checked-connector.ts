/**
 * Connects outgoing calls: it resolves a name once, checks every address, and connects to a checked address, with the
 * name for TLS and the Host header. So a name that resolves to another address between check and connection (DNS
 * rebinding) gains nothing.
 * Source: docs/design/wire.md#outgoing-addresses.
 */
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { limitAnswers } from './answer-limits.ts';
import { dialable, type Range } from './classify-address.ts';
import type { ResolveHost } from './resolve-host.ts';

/** The address is not allowed; the service does not try to connect. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';
}

/** The name has no address. */
export class NameNotFoundError extends Error {
  override readonly name = 'NameNotFoundError';
  readonly code = 'NAME_NOT_FOUND';
}

interface DialOptions {
  readonly resolve: ResolveHost;
  /** Ranges that are allowed although they are not public. */
  readonly opened: readonly Range[];
  /** For one address of the name. */
  readonly connectTimeoutMs: number;
  /** Most bytes of the answer to one request. */
  readonly answerBytesMax: number;
  /** A certificate to trust besides the system's; for tests. */
  readonly ca?: string;
}

/** Addresses of a name that are tried. */
const ADDRESSES_MAX = 3;

async function addressesOf(hostname: string, resolve: ResolveHost): Promise<readonly string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  try {
    return await resolve(hostname);
  } catch (cause) {
    throw new NameNotFoundError('the name of the endpoint was not found', { cause });
  }
}

/**
 * The addresses to connect to. One refused address refuses the whole name: a name that mixes public and private
 * addresses is an attack on the private ones.
 *
 * @throws AddressRefusedError, NameNotFoundError
 */
async function checkedAddresses(
  hostname: string,
  { resolve, opened }: Pick<DialOptions, 'resolve' | 'opened'>,
): Promise<readonly string[]> {
  const addresses = await addressesOf(hostname, resolve);
  if (addresses.length === 0) throw new NameNotFoundError('the name of the endpoint has no address');
  return addresses.map((address) => {
    const checked = dialable(address, opened);
    if (checked === undefined) throw new AddressRefusedError('the endpoint is at no public address');
    return checked;
  });
}

/** A connector for undici's dispatchers. */
export function createCheckedConnector(options: DialOptions): buildConnector.connector {
  const { connectTimeoutMs, answerBytesMax, ca } = options;
  const settings = { timeout: connectTimeoutMs, allowH2: false, ...(ca === undefined ? {} : { ca }) };
  const connect = limitAnswers(buildConnector(settings), answerBytesMax);
  type Dial = Parameters<buildConnector.connector>[0];
  type Socket = NonNullable<Parameters<Parameters<buildConnector.connector>[1]>[1]>;

  const dial = (target: Dial, address: string): Promise<Socket> =>
    new Promise((resolve, reject) => {
      // The certificate belongs to the name. Without TLS a server name would cause another lookup.
      const named = target.protocol === 'https:' && isIP(target.hostname) === 0;
      const servername = named ? target.hostname.replace(/\.$/, '') : '';
      connect({ ...target, hostname: address, servername }, (error, socket) =>
        error === null ? resolve(socket) : reject(error),
      );
    });
  const dialFirst = async (target: Dial): Promise<Socket> => {
    let failure: unknown;
    for (const address of (await checkedAddresses(target.hostname, options)).slice(0, ADDRESSES_MAX)) {
      try {
        return await dial(target, address);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return (target, callback) => {
    dialFirst(target).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
