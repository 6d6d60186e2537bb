/** The Idempotency-Key of one request, and the answer that is stored under it. */
import type { Db } from '../../kernel/context.ts';
import type { RequestKey, RouteResult } from '../../kernel/route.ts';
import type { Secrets } from '../crypto/secrets.ts';
import {
  answerStorage,
  fingerprint,
  freeKey,
  type IdempotencyKey,
  type StoredAnswer,
  storeKey,
  takeKey,
} from './idempotency-key.ts';

/** An answer as it is sent. Only text can be stored. */
interface Answer<Payload = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Payload;
}

interface KeyInputs {
  readonly sellerId: string;
  /** Undefined if the request has no key. Then no answer is stored. */
  readonly key: IdempotencyKey | undefined;
  readonly secrets: Secrets;
  /** Whether the answer has a secret. */
  readonly secret: boolean;
  readonly now: () => number;
  /** Writes the entry of the activity log in the transaction of the answer; absent where none is written here. */
  readonly record?: ((db: Db, answer: Answer, replayed: boolean) => Promise<void>) | undefined;
}

/** The result with exactly the bytes of an answer. */
const toResult = ({ status, headers, payload }: Answer): RouteResult<never> => ({
  status,
  headers,
  ...(payload === ''
    ? {}
    : { content: { type: headers['content-type'] ?? 'application/json', data: String(payload) } }),
});

/** The key of a request. The mount uses it, and passes it to routes that open their own transactions. */
export class KeyedAnswers {
  private readonly inputs: KeyInputs;

  constructor(inputs: KeyInputs) {
    this.inputs = inputs;
  }

  /** @throws ApiError 409 `idempotency_in_progress`, `idempotency_key_reused` */
  async earlier(db: Db): Promise<{ readonly answer?: Answer<string>; readonly reference: string | null }> {
    const { key, sellerId, secrets, secret, now, record: enter } = this.inputs;
    if (key === undefined) return { reference: null };
    const record = await takeKey(db, sellerId, key, now());
    if (record?.status === undefined) return { reference: record?.reference ?? null };
    const answer = answerStorage(secrets, secret, key).replayed(record as StoredAnswer);
    await enter?.(db, answer, true);
    return { answer, reference: record.reference };
  }

  /** Stores the answer under the key, and writes the entry of the activity log. */
  async keep(db: Db, answer: Answer, reference?: string): Promise<void> {
    const { key, sellerId, secrets, secret, now, record } = this.inputs;
    await record?.(db, answer, false);
    if (key === undefined) return;
    const { status, headers, payload } = answer;
    const body = answerStorage(secrets, secret, key).store(String(payload));
    await storeKey(db, sellerId, key, now(), { status, headers, body }, reference);
  }

  /** The same for a handler, which returns results. */
  forHandler(answer: (result: RouteResult) => Answer): RequestKey {
    const { key, sellerId, now } = this.inputs;
    return {
      earlier: async (db) => {
        const { answer: kept, reference } = await this.earlier(db);
        return kept === undefined ? { reference } : { answer: toResult(kept), reference };
      },
      refer: async (db, reference) => {
        if (key !== undefined) await storeKey(db, sellerId, key, now(), undefined, reference);
      },
      keep: async (db, result, reference) => {
        const kept = answer(result);
        await this.keep(db, kept, reference);
        return toResult(kept);
      },
      free: async (db) => {
        if (key !== undefined) await freeKey({ db, seller_id: sellerId }, key);
      },
      including: (bytes) => {
        const whole = key && { ...key, fingerprint: fingerprint([key.fingerprint, bytes]) };
        return new KeyedAnswers({ ...this.inputs, key: whole }).forHandler(answer);
      },
    };
  }
}
