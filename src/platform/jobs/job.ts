/** A job as the service adds it. */
export interface NewJob {
  readonly kind: string;
  readonly sellerId?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** At most one job of a kind has this key. Instead of a second one, the first becomes due or runs again. */
  readonly uniqueKey?: string;
  readonly dueAt: number;
}
