/**
 * A stream whose first piece is there already: what fails before it is answered with a status of its own, and
 * not by a file that breaks off. Whoever takes it has to read it to its end or to call its `return`, as a loop
 * does that is left early: the stream holds a connection until then.
 */
export async function startStream<T>(stream: AsyncGenerator<T>): Promise<AsyncIterableIterator<T>> {
  let first: IteratorResult<T> | undefined = await stream.next();
  const rest: AsyncIterableIterator<T> = {
    async next() {
      const held = first;
      first = undefined;
      return held ?? stream.next();
    },
    return: () => stream.return(undefined),
    [Symbol.asyncIterator]() {
      return rest;
    },
  };
  return rest;
}
