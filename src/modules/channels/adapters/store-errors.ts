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

const SERVER_ERRORS = 500;
const TOO_MANY = 429;

/** @throws StoreUnreachable, StoreRefused */
export function requireAnswer(status: number): void {
  if (status >= SERVER_ERRORS || status === TOO_MANY)
    throw new StoreUnreachable(`the store answers with status ${status}`);
  if (status !== 200) throw new StoreRefused(status);
}
