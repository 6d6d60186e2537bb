import type { TestApp, TestSeller } from './app.ts';
import { eventually } from './feeds.ts';
import { callInternal } from './internal.ts';

export interface OutboxEvent {
  readonly type: string;
  readonly seller_id: string;
  readonly object_version: number;
  readonly data: {
    readonly object: Readonly<Record<string, unknown>>;
    readonly previous?: Readonly<Record<string, unknown>>;
    readonly change?: unknown;
  };
}
interface OutboxPage {
  readonly data: readonly OutboxEvent[];
  readonly next_after: string;
  readonly has_more: boolean;
}

/** What the marketplace reads about a seller: the events whose types begin so, at least `count` of them. */
export function marketplaceEvents(
  app: Pick<TestApp, 'internalUrl' | 'internalToken'>,
  { seller_id }: Pick<TestSeller, 'seller_id'>,
  types: string,
  count: number,
): Promise<OutboxEvent[]> {
  const read = async (after: string): Promise<OutboxEvent[]> => {
    const answer = await callInternal(app, 'GET', `/internal/v1/outbox?limit=1000&after=${after}`);
    const page = JSON.parse(answer.text) as OutboxPage;
    return [...page.data, ...(page.has_more ? await read(page.next_after) : [])];
  };
  return eventually(
    async () =>
      (await read('0')).filter((event) => event.seller_id === seller_id && event.type.startsWith(types)),
    ({ length }) => length >= count,
  );
}
