/** Waits for the work that a write leaves behind, so that the next measurement does not include it. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ANY_UNNUMBERED } from '../../src/platform/outbox/sequence-statements.ts';
import type { Service } from './service.ts';

const POLL_MS = 50;

async function withClient(service: Service, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: service.superuserUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function untilNumbered(client: pg.Client): Promise<void> {
  while ((await client.query<{ waiting: boolean }>(ANY_UNNUMBERED.text)).rows[0]?.waiting === true)
    await sleep(POLL_MS);
}

/** Waits until every event has its number. */
export const eventsNumbered = (service: Service): Promise<void> => withClient(service, untilNumbered);

/** Waits until every event has its number, then removes dead rows, takes statistics and writes dirty pages. */
export const settle = (service: Service): Promise<void> =>
  withClient(service, async (client) => {
    await untilNumbered(client);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
