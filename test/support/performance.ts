/** Reads how well a seller serves its orders, for tests. */
import { expect } from 'vitest';
import type { TestSeller } from './app.ts';
import type { Contest } from './reviews.ts';

export interface Metric {
  readonly metric: string;
  readonly numerator: number;
  readonly denominator: number;
  readonly rate_bps: number | null;
  readonly status: string;
  readonly contested: number;
  readonly events: string;
  readonly target: { readonly max_bps: number; readonly version: string };
}
export interface Event {
  readonly event_id: string;
  readonly order_id: string;
  readonly day: string;
  readonly counted: boolean;
  readonly contest_until: string;
  readonly fact: { readonly cause: string; readonly reason: string | null };
  readonly contest: Contest | null;
}
export const readPerformance = async <T>(seller: TestSeller, path: string) =>
  (await seller.call<T>('GET', `/quality/seller-metrics${path}`)).body;
export const metricsOf = async (seller: TestSeller, query = '') =>
  (await readPerformance<{ metrics: Metric[] }>(seller, query)).metrics;
export const metric = async (seller: TestSeller, name: string, query = ''): Promise<Metric> => {
  const found = (await metricsOf(seller, query)).find((one) => one.metric === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};
export const events = async (seller: TestSeller, name: string, query = '') =>
  (await readPerformance<{ data: Event[] }>(seller, `/${name}/events?limit=200${query}`)).data;

/** Every numerator is the number of listed events that count. */
export async function expectEqualLists(seller: TestSeller): Promise<void> {
  for (const { metric: name, numerator, denominator, events: path, contested } of await metricsOf(seller)) {
    const listed = async (query: string) =>
      (await seller.call<{ data: Event[] }>('GET', `${path.slice('/api/v1'.length)}&limit=200${query}`)).body
        .data;
    expect([name, (await listed('&counted=true')).length]).toEqual([name, numerator]);
    expect([name, (await listed('&contested=true')).length]).toEqual([name, contested]);
    const { data } = await readPerformance<{ data: { numerator: number; denominator: number }[] }>(
      seller,
      `/${name}/history`,
    );
    const sum = (key: 'numerator' | 'denominator') => data.reduce((total, row) => total + row[key], 0);
    expect([data.length, sum('numerator'), sum('denominator')]).toEqual([30, numerator, denominator]);
  }
}
