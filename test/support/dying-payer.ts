/** A worker that dies at a chosen instant of sending a payout: beside each request to the provider and each commit. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Services } from '../../src/platform/services.ts';
import { atEnd } from './at-end.ts';

/** The instants of one life of the worker, counted from 1. The life ends at `diesAt`; 0: never. */
class Instants {
  readonly death: Promise<string>;
  isDead = false;
  private count = 0;
  private readonly diesAt: number;
  private die: (instant: string) => void = () => undefined;

  constructor(diesAt: number) {
    this.diesAt = diesAt;
    this.death = new Promise((done) => {
      this.die = done;
    });
  }

  /** @returns whether the worker is dead now */
  pass(instant: string): boolean {
    this.count += 1;
    if (this.count === this.diesAt) {
      this.isDead = true;
      this.die(instant);
    }
    return this.isDead;
  }
}

/** A dead process neither fails nor goes on. */
const never = (): Promise<never> => new Promise(() => undefined);

/** What a dead process has not committed is rolled back. */
class Died extends Error {}

const mortal =
  (instants: Instants, withSeller: Services['withSellerLong']): Services['withSellerLong'] =>
  async (sellerId, mode, work) => {
    if (instants.isDead) return never();
    const isWrite = mode === 'write';
    const done = await withSeller(sellerId, mode, async (db) => {
      const answer = await work(db);
      if (isWrite && instants.pass('before a commit')) throw new Died();
      return answer;
    }).catch((error: unknown) => (error instanceof Died ? never() : Promise.reject(error)));
    return isWrite && instants.pass('after a commit') ? never() : done;
  };

/**
 * Starts a server between the worker and the provider, so that a life can end before and after the effect of a request.
 *
 * @param provider address of its API
 * @returns runs `work` in a new life; answers the instant at which it died, or undefined if the work was done before
 */
export async function dyingPayer(services: Services, provider: string) {
  let instants = new Instants(0);
  const gateway = createServer(async (request, response) => {
    const life = instants;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const name = `${method} ${url.split('?', 1)[0]}`;
    if (life.pass(`before ${name}`)) return;
    const kept = ['authorization', 'content-type', 'idempotency-key', 'stripe-account'];
    const answer = await fetch(`${provider}${url}`, {
      method,
      headers: kept.flatMap((key): [string, string][] => {
        const value = headers[key];
        return typeof value === 'string' ? [[key, value]] : [];
      }),
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    if (life.pass(`after ${name}`)) return;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((done) => void gateway.listen(0, '127.0.0.1', done));
  atEnd(() => {
    gateway.closeAllConnections();
    gateway.close();
  });
  const base = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  return (diesAt: number, work: (services: Services) => Promise<void>): Promise<string | undefined> => {
    const life = new Instants(diesAt);
    instants = life;
    const config = { ...services.config, PAYMENT_PROVIDER_API_BASE: base };
    const withSellerLong = mortal(life, services.withSellerLong);
    const working = work({ ...services, config, withSellerLong }).then(() => undefined);
    // Requests of a dead worker fail when the server between closes.
    working.catch(() => undefined);
    return Promise.race([working, life.death]);
  };
}
