/** The store refuses what it was asked, with this status. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  readonly status: number;
  constructor(status: number) {
    super(`the store refuses with status ${status}`);
    this.status = status;
  }
}

/** The store does not answer, or says that it cannot. The message names no address. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
}

/** What the store says about the question. Everything else says that the store is frozen, closed or busy. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);

/** @throws StoreUnreachable, StoreRefused */
export function requireAnswer(status: number): void {
  if (REFUSALS.has(status)) throw new StoreRefused(status);
  if (status !== 200) throw new StoreUnreachable(`the store answers with status ${status}`);
}
