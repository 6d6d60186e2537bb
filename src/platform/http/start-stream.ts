/**
 * Reads the first piece of a stream, so that a failure before it is answered with an error status instead of a
 * truncated file. The caller must read the stream to its end or call its `return`, as a `for` loop does: until then
 * the stream holds a connection.
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
