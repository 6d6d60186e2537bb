/** Which event a change of standing is to the seller. */

interface Status {
  readonly status: 'active' | 'suspended' | 'closed';
}

/** Losing or regaining the account outranks whatever else changed with it. */
export function standingEvent(
  before: Status,
  after: Status,
): 'account.suspended' | 'account.reinstated' | 'account.health_changed' {
  if (before.status === after.status) return 'account.health_changed';
  return after.status === 'active' ? 'account.reinstated' : 'account.suspended';
}

/**
 * Whether a state is older than the one that was applied last: by the marketplace's version of the object
 * where both have one, else by the instant. Equals are not older: two decisions may share a second.
 */
export function isStale(
  incoming: { readonly at: string; readonly version: bigint | null },
  applied: { readonly at: string | null; readonly version: bigint | null },
): boolean {
  if (incoming.version !== null && applied.version !== null) return incoming.version < applied.version;
  return applied.at !== null && Date.parse(incoming.at) < Date.parse(applied.at);
}
