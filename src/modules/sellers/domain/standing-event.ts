/** The type of the event for a change of standing. */

interface Status {
  readonly status: 'active' | 'suspended' | 'closed';
}

/** Losing or regaining the account decides the type, even if other fields have changed too. */
export function standingEvent(
  before: Status,
  after: Status,
): 'account.suspended' | 'account.reinstated' | 'account.health_changed' {
  if (before.status === after.status) return 'account.health_changed';
  return after.status === 'active' ? 'account.reinstated' : 'account.suspended';
}

/**
 * Whether a state is older than the last applied one. The marketplace's versions decide if both have one, otherwise the
 * instants. An equal instant is not older, because two decisions may have the same second.
 */
export function isStale(
  incoming: { readonly at: string; readonly version: bigint | null },
  applied: { readonly at: string | null; readonly version: bigint | null },
): boolean {
  if (incoming.version !== null && applied.version !== null) return incoming.version < applied.version;
  return applied.at !== null && Date.parse(incoming.at) < Date.parse(applied.at);
}
