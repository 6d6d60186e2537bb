/** Where a parcel is, as steps that a page can show. */
export const MILESTONES = [
  'label_created',
  'dispatched',
  'in_transit',
  'out_for_delivery',
  'delivered',
] as const;
export type Milestone = (typeof MILESTONES)[number];

/** The last step that a parcel of each status has taken. What went wrong did so on the way. */
const LAST_STEP: Readonly<Record<string, Milestone>> = {
  dispatched: 'dispatched',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  failed: 'out_for_delivery',
  returned_to_sender: 'in_transit',
  lost: 'in_transit',
  delivered: 'delivered',
};

export interface Step {
  readonly milestone: Milestone;
  readonly reached: boolean;
  /** Null: not reached, or nobody said when. */
  readonly at: string | null;
}

/** The steps of a parcel in their order. */
export function milestonesOf({
  status,
  dispatched_at,
  delivered_at,
}: {
  readonly status: string;
  readonly dispatched_at: string | null;
  readonly delivered_at: string | null;
}): Step[] {
  const last = MILESTONES.indexOf(LAST_STEP[status] ?? 'label_created');
  const times: Partial<Record<Milestone, string | null>> = {
    dispatched: dispatched_at,
    delivered: delivered_at,
  };
  return MILESTONES.map((milestone, index) => {
    const reached = index <= last;
    return { milestone, reached, at: reached ? (times[milestone] ?? null) : null };
  });
}
