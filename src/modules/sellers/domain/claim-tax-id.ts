/** Who may register with a tax identifier. Source: docs/design/wire.md#registration. */

/** A provided seller without a named owner can be claimed for this time, by the first identity with its identifier. */
export const CLAIM_DAYS = 30;
const CLAIM_MS = CLAIM_DAYS * 24 * 3_600_000;

interface HeldTaxId {
  /** Null: an identity has registered it. */
  readonly unclaimed_since: string | null;
  /** Null: the marketplace named no owner. */
  readonly owner_subject: string | null;
  readonly released_at: string | null;
}

/**
 * What a registration with the identifier does: `create` a seller, `bind` the one that waits, or be refused.
 *
 * @param now milliseconds
 */
export function claimTaxId(
  held: HeldTaxId | undefined,
  subject: string,
  now: number,
): 'create' | 'bind' | 'refuse' {
  if (held === undefined || held.released_at !== null) return 'create';
  const { unclaimed_since, owner_subject } = held;
  if (unclaimed_since === null) return 'refuse';
  if (owner_subject !== null) return owner_subject === subject ? 'bind' : 'refuse';
  return now < Date.parse(unclaimed_since) + CLAIM_MS ? 'bind' : 'refuse';
}
