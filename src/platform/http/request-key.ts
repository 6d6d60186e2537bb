/** The Idempotency-Key of one request, and the answers that are kept under it. */
import type { Db } from '../../kernel/context.ts';
import type { RequestKey, RouteResult } from '../../kernel/route.ts';
import type { Secrets } from '../crypto/secrets.ts';
import {
  answerStorage,
  claimKey,
  fingerprint,
  freeKey,
  type KeyClaim,
  type StoredAnswer,
  storeKey,
} from './idempotency.ts';
import type { Answer } from './respond.ts';

interface KeyInputs {
  readonly sellerId: string;
  /** Undefined: the request has no key, and nothing is kept. */
  readonly claim: KeyClaim | undefined;
  readonly secrets: Secrets;
  /** The answer holds a secret. */
  readonly secret: boolean;
  readonly now: () => number;
}

/** An answer that is sent byte by byte as it stands. */
const asItStands = ({ status, headers, payload }: Answer): RouteResult<never> => ({
  status,
  headers,
  ...(payload === ''
    ? {}
    : { content: { type: headers['content-type'] ?? 'application/json', data: String(payload) } }),
});

/** What the mount does with the key of a request, and what it hands to routes that open their own transactions. */
export class KeyedAnswers {
  private readonly inputs: KeyInputs;

  constructor(inputs: KeyInputs) {
    this.inputs = inputs;
  }

  /** @throws ApiError 409 `idempotency_in_progress`, `idempotency_key_reused` */
  async earlier(db: Db): Promise<{ readonly answer?: Answer; readonly reference: string | null }> {
    const { claim, sellerId, secrets, secret, now } = this.inputs;
    if (claim === undefined) return { reference: null };
    const record = await claimKey(db, sellerId, claim, now());
    if (record?.status === undefined) return { reference: record?.reference ?? null };
    const answer = answerStorage(secrets, secret, claim).replayed(record as StoredAnswer);
    return { answer, reference: record.reference };
  }

  async keep(db: Db, { status, headers, payload }: Answer): Promise<void> {
    const { claim, sellerId, secrets, secret, now } = this.inputs;
    if (claim === undefined) return;
    const body = answerStorage(secrets, secret, claim).store(String(payload));
    await storeKey(db, sellerId, claim, now(), { status, headers, body });
  }

  /** The same for a handler, which speaks of results. */
  forHandler(answer: (result: RouteResult) => Answer): RequestKey {
    const { claim, sellerId, now } = this.inputs;
    return {
      earlier: async (db) => {
        const { answer: kept, reference } = await this.earlier(db);
        return kept === undefined ? { reference } : { answer: asItStands(kept), reference };
      },
      refer: async (db, reference) => {
        if (claim !== undefined) await storeKey(db, sellerId, claim, now(), undefined, reference);
      },
      keep: async (db, result) => {
        const kept = answer(result);
        await this.keep(db, kept);
        return asItStands(kept);
      },
      free: async (db) => {
        if (claim !== undefined) await freeKey(db, claim);
      },
      including: (bytes) => {
        const whole = claim && { ...claim, fingerprint: fingerprint([claim.fingerprint, bytes]) };
        return new KeyedAnswers({ ...this.inputs, claim: whole }).forHandler(answer);
      },
    };
  }
}
