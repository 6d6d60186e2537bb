export const ROW_OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'deactivated',
  'merged',
  'staged',
  'ignored',
  'rejected',
  'not_attempted',
] as const;
export type RowOutcome = (typeof ROW_OUTCOMES)[number];
