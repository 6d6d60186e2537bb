/**
 * A stream whose first piece is there already: what fails before it is answered with a status of its own, and
 * not by a file that breaks off.
 */
export async function primed<T>(stream: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await stream.next();
  return (async function* () {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* stream;
    } finally {
      await stream.return(undefined);
    }
  })();
}
