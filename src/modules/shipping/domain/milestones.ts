/** The progress of a parcel as steps that a page can show. */
export const MILESTONES = [
  'label_created',
  'dispatched',
  'in_transit',
  'out_for_delivery',
  'delivered',
] as const;
type Milestone = (typeof MILESTONES)[number];

/** The last step of a parcel with each status. A problem happens on the way. */
const LAST_STEP: Readonly<Record<string, Milestone>> = {
  dispatched: 'dispatched',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  failed: 'out_for_delivery',
  returned_to_sender: 'in_transit',
  lost: 'in_transit',
  delivered: 'delivered',
};

interface Step {
  readonly milestone: Milestone;
  readonly reached: boolean;
  /** Null if the step is not reached, or its instant is unknown. */
  readonly at: string | null;
}

interface Travelled {
  readonly status: string;
  readonly labelled_at: string | null;
  readonly dispatched_at: string | null;
  readonly delivered_at: string | null;
  /** Tracking updates in any order, with RFC 3339 instants. */
  readonly scans: readonly { readonly status: string; readonly at: string }[];
}

/** The steps of a parcel in their order, with the instant at which each was first reached. */
export function milestonesOf({ status, labelled_at, dispatched_at, delivered_at, scans }: Travelled): Step[] {
  const last = MILESTONES.indexOf(LAST_STEP[status] ?? 'label_created');
  const known: Partial<Record<Milestone, string | null>> = {
    label_created: labelled_at,
    dispatched: dispatched_at,
    delivered: delivered_at,
  };
  const first = (milestone: Milestone): string | null =>
    scans
      .filter((scan) => scan.status === milestone)
      .map(({ at }) => at)
      .sort()
      .at(0) ?? null;
  return MILESTONES.map((milestone, index) => {
    const reached = index <= last;
    return { milestone, reached, at: reached ? (known[milestone] ?? first(milestone)) : null };
  });
}
