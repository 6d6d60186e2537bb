/** Many events at once, and yet those of one seller in their order: no transaction touches two sellers. */
import type { Envelope } from './envelope.ts';

/** Sellers whose events are applied at the same time; each takes a connection, most of which others need. */
const CHAINS_MAX = 6;

/**
 * Works through a batch: the events of one seller one after another, those of several sellers side by side.
 * Events that name no seller keep their order among themselves.
 *
 * @throws what the work throws first; what was begun is waited for
 */
export async function applyBySeller(
  events: readonly Envelope[],
  work: (event: Envelope, index: number) => Promise<void>,
): Promise<void> {
  const chains = new Map<string | null, [Envelope, number][]>();
  for (const [index, event] of events.entries()) {
    const chain = chains.get(event.seller_id) ?? [];
    chain.push([event, index]);
    chains.set(event.seller_id, chain);
  }
  const waiting = [...chains.values()].values();
  let broken = false;
  const runner = async (): Promise<void> => {
    for (const chain of waiting)
      for (const [event, index] of chain) {
        if (broken) return;
        try {
          await work(event, index);
        } catch (error) {
          broken = true;
          throw error;
        }
      }
  };
  const runners = Array.from({ length: Math.min(CHAINS_MAX, chains.size) }, runner);
  const ended = await Promise.allSettled(runners);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
