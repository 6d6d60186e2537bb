/** A job as the service adds it. */
export interface NewJob {
  readonly kind: string;
  readonly sellerId?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** At most one job of a kind has this key; a second one is not added. */
  readonly uniqueKey?: string;
  readonly dueAt: number;
}
