/**
 * Maps a stream in order, with the next `ahead` items begun before they are asked for: what waits for one and
 * what computes for another happen at the same time. Only the first is begun alone.
 *
 * @param ahead how many items may be in work besides the caller's own
 */
export async function* mapAhead<T, R>(
  source: AsyncGenerator<T>,
  ahead: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begin = async (): Promise<{ readonly mapped: R } | undefined> => {
    const { value, done } = await source.next();
    return done === true ? undefined : { mapped: await map(value) };
  };
  const begun: Promise<{ readonly mapped: R } | undefined>[] = [];
  const fill = (count: number): void => {
    while (begun.length < count) {
      const next = begin();
      // Awaited in its turn; until then a failure must not count as unhandled.
      next.catch(() => undefined);
      begun.push(next);
    }
  };
  try {
    // Alone: the caller waits for it, and nothing should be computed in between.
    fill(1);
    for (let item = await begun.shift(); item !== undefined; item = await begun.shift()) {
      fill(ahead);
      yield item.mapped;
    }
  } finally {
    await Promise.allSettled(begun);
    await source.return(undefined);
  }
}
