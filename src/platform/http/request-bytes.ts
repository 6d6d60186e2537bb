import type { IncomingMessage } from 'node:http';
import { coreErrors, fail } from '../../kernel/errors.ts';

/** Longest silence of a sender in the middle of its body: a slow line brings something in that time. */
export const SILENCE_MAX_MS = 30_000;

/** The next part of a body. Whoever has waited in vain has nobody to hear of what comes after. */
async function within<T>(next: Promise<T>, ms: number): Promise<T> {
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
 * The bytes of a body as they arrive; who stops reading early still can answer on the same connection. Only the time
 * in which somebody waits for bytes counts as the sender's silence.
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
      const part = await within(source.next(), silenceMs).catch((error: unknown) => {
        silent = true;
        throw error;
      });
      if (part.done) return;
      yield part.value;
    }
  } finally {
    // One that still waits for bytes would end behind them only.
    if (!silent) await source.return?.();
  }
}
