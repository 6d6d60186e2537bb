/** Applies a batch of events: in order for each seller, several sellers at the same time. */
import type { Envelope } from './envelope.ts';

/** Sellers at the same time. Each needs a connection; the other connections are for requests. */
const SELLERS_AT_ONCE = 6;

/**
 * Works through a batch. Events without a seller keep their order too.
 *
 * @throws the first error of `work`, after all running work has ended
 */
export async function applyBySeller(
  events: readonly Envelope[],
  work: (event: Envelope, index: number) => Promise<void>,
): Promise<void> {
  const bySeller = new Map<string | null, [Envelope, number][]>();
  for (const [index, event] of events.entries()) {
    const queue = bySeller.get(event.seller_id) ?? [];
    queue.push([event, index]);
    bySeller.set(event.seller_id, queue);
  }
  const queues = [...bySeller.values()].values();
  let failing = false;
  const runner = async (): Promise<void> => {
    for (const queue of queues)
      for (const [event, index] of queue) {
        if (failing) return;
        try {
          await work(event, index);
        } catch (error) {
          failing = true;
          throw error;
        }
      }
  };
  const runners = Array.from({ length: Math.min(SELLERS_AT_ONCE, bySeller.size) }, runner);
  const ended = await Promise.allSettled(runners);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
