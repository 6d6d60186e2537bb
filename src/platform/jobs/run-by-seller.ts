/** Sellers at the same time. Each needs a connection; the other connections are for requests. */
const SELLERS_AT_ONCE = 6;

/**
 * Works through a list in order for each seller, several sellers at the same time. Items without a seller keep their
 * order too.
 *
 * @param keyOf items of one key keep their order; default: the seller
 * @throws the first error of `work`, after all running work has ended
 */
export async function runBySeller<T extends { readonly seller_id: string | null }>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
  keyOf: (item: T) => string | null = ({ seller_id }) => seller_id,
): Promise<void> {
  const bySeller = Map.groupBy(items.entries(), ([, item]) => keyOf(item));
  const queues = bySeller.values();
  let failing = false;
  const runner = async (): Promise<void> => {
    for (const queue of queues)
      for (const [index, item] of queue) {
        if (failing) return;
        try {
          await work(item, index);
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
