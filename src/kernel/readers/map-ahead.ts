/**
 * Maps a stream in order, and starts the next `ahead` items before the caller asks for them. So one item can wait while
 * another is computed. The first item is mapped alone.
 *
 * @param ahead how many items may be mapped while the caller uses one
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
      // It is awaited later. Until then its failure must not count as unhandled.
      next.catch(() => undefined);
      begun.push(next);
    }
  };
  try {
    // The caller waits for the first item, so no other item is started yet.
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
