import { atMost } from '../../kernel/at-most.ts';

/** Works at the same time. Each needs a connection; the other connections are for requests. */
const AT_ONCE = 6;
/** Of one key, so that one seller leaves connections to the others. */
const LANES_AT_ONCE = 3;

interface OfSeller {
  readonly seller_id: string | null;
  /** Those of one key with different lanes need not keep their order. Without a lane one keeps it with all others. */
  readonly lane?: string | undefined;
}

/** The works of a key that the next one waits for. */
interface Before {
  readonly all: Promise<unknown>;
  readonly lanes: Map<string, Promise<unknown>>;
  readonly inTurn: ReturnType<typeof atMost>;
}

/**
 * Works through a list in order for each seller, several sellers at the same time. Items without a seller keep their
 * order too. Items of one seller in different lanes run at the same time, after all items before them without a lane.
 *
 * @param keyOf items of one key keep their order; default: the seller
 * @throws the first error of `work`, after all running work has ended
 */
export async function runBySeller<T extends OfSeller>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
  keyOf: (item: T) => string | null = ({ seller_id }) => seller_id,
): Promise<void> {
  const inTurn = atMost(AT_ONCE);
  const byKey = new Map<string | null, Before>();
  const errors: unknown[] = [];
  const run = (item: T, index: number): Promise<void> =>
    inTurn(async () => {
      if (errors.length > 0) return;
      await work(item, index).catch((error: unknown) => errors.push(error));
    });
  const ended = items.map((item, index) => {
    const { lane } = item;
    const key = keyOf(item);
    const first = (): Before => ({ all: Promise.resolve(), lanes: new Map(), inTurn: atMost(LANES_AT_ONCE) });
    const { all, lanes, inTurn: ofKey } = byKey.get(key) ?? first();
    const before = lane === undefined ? Promise.all([all, ...lanes.values()]) : (lanes.get(lane) ?? all);
    const end = before.then(() => ofKey(() => run(item, index)));
    if (lane === undefined) byKey.set(key, { all: end, lanes: new Map(), inTurn: ofKey });
    else byKey.set(key, { all, lanes: lanes.set(lane, end), inTurn: ofKey });
    return end;
  });
  await Promise.all(ended);
  if (errors.length > 0) throw errors[0];
}
