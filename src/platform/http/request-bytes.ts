import type { IncomingMessage } from 'node:http';
import { coreErrors, fail } from '../../kernel/errors.ts';

/** The longest pause of a sender inside its body. Even a slow line sends bytes in that time. */
const SILENCE_MAX_MS = 30_000;

/** The next part of a body, or 408. A part that arrives later is dropped. */
async function nextPart<T>(next: Promise<T>, ms: number): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => over.reject(fail(coreErrors.request_timeout, { headers: { connection: 'close' } })),
    ms,
  );
  next.catch(() => undefined);
  try {
    return await Promise.race([next, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The bytes of a body as they arrive. A reader that stops early can still answer on the same connection. Only the time
 * in which the reader waits counts as the sender's silence.
 *
 * @throws ApiError 408 when the sender is silent for longer than `silenceMs`
 */
export async function* requestBytes(
  raw: IncomingMessage,
  silenceMs: number = SILENCE_MAX_MS,
): AsyncGenerator<Buffer> {
  const source: AsyncIterator<Buffer> = raw.iterator({ destroyOnReturn: false });
  let silent = false;
  try {
    for (;;) {
      const part = await nextPart(source.next(), silenceMs).catch((error: unknown) => {
        silent = true;
        throw error;
      });
      if (part.done) return;
      yield part.value;
    }
  } finally {
    // If a source waits for bytes, its `return` would resolve only after they have arrived.
    if (!silent) await source.return?.();
  }
}
