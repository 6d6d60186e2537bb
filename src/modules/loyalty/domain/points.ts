/** Kinds of points, and what they are worth. Source: docs/design/loyalty.md#points. */
const POINT_KINDS = ['earned', 'redeemed', 'expired', 'reversed', 'restored', 'adjusted'] as const;
export type PointKind = (typeof POINT_KINDS)[number];
/** Kinds that belong to an order of the seller; what a person does elsewhere is shown in sums only. */
export const ORDER_KINDS = ['earned', 'reversed', 'adjusted'] as const;

export const MISMATCHES = ['points_missing', 'fund_missing', 'amount_differs'] as const;
export const RECONCILED = ['matched', 'pending', ...MISMATCHES] as const;
export type Reconciled = (typeof RECONCILED)[number];
/** For so long after the later side was booked, a difference is only pending. */
export const PENDING_HOURS = 48;

/** Points in minor units of a currency, half up; below zero away from zero. */
export function worthOf(points: bigint, pointsPerMajor: number, exponent: number): bigint {
  const per = BigInt(pointsPerMajor);
  const scaled = (points < 0n ? -points : points) * 10n ** BigInt(exponent);
  const worth = (2n * scaled + per) / (2n * per);
  return points < 0n ? -worth : worth;
}
