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
