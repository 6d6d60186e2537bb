/**
 * Chooses the draft parcels that a cancellation of units drops: a parcel is dropped as a whole, so the choice decides
 * how much work and how many labels are lost.
 */

export interface DraftParcel {
  readonly shipment_id: string;
  readonly labelled: boolean;
  /** Units by order line. */
  readonly units: ReadonlyMap<string, number>;
}

/** Numbers of parcels, of labels among them, and of units; the first that differs decides. */
type Cost = readonly [parcels: number, labels: number, units: number];

/** Steps of the search: enough for a dozen parcels. With more, the best choice that was found counts. */
const STEPS_MAX = 2_000;

const unitsOf = ({ units }: DraftParcel): number =>
  [...units.values()].reduce((sum, count) => sum + count, 0);
const costOf = (parcels: readonly DraftParcel[]): Cost => [
  parcels.length,
  parcels.filter(({ labelled }) => labelled).length,
  parcels.reduce((sum, parcel) => sum + unitsOf(parcel), 0),
];
const isLess = (one: Cost, other: Cost): boolean => {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0);
};

type Missing = ReadonlyMap<string, number>;

/** The units that must still go after a parcel is dropped, by line. */
const without = (missing: Missing, { units }: DraftParcel): Missing =>
  new Map(
    [...missing].map(([line, count]) => [line, count - (units.get(line) ?? 0)] as const).filter(isMissing),
  );
const isMissing = ([, count]: readonly [string, number]): boolean => count > 0;

/** An answer to begin with: always the parcel with the most of the units that must go. */
function takeLargest(missing: Missing, parcels: readonly DraftParcel[]): DraftParcel[] {
  if (missing.size === 0) return [];
  const gainOf = ({ units }: DraftParcel): number =>
    [...missing].reduce((sum, [line, count]) => sum + Math.min(count, units.get(line) ?? 0), 0);
  const [best, ...others] = parcels.toSorted((a, b) => gainOf(b) - gainOf(a));
  if (best === undefined || gainOf(best) === 0) return [];
  return [best, ...takeLargest(without(missing, best), others)];
}

/**
 * The parcels to drop: the fewest, of these the fewest with a label, of these the smallest, of these the first.
 *
 * @param excess units that the parcels hold and must not, by line
 */
export function parcelsToDrop(parcels: readonly DraftParcel[], excess: Missing): readonly DraftParcel[] {
  const start: Missing = new Map([...excess].filter(isMissing));
  let best: readonly DraftParcel[] = takeLargest(start, parcels);
  let steps = 0;
  const search = (missing: Missing, left: readonly DraftParcel[], dropped: readonly DraftParcel[]): void => {
    steps += 1;
    const [line] = missing.keys();
    if (line === undefined) {
      if (isLess(costOf(dropped), costOf(best))) best = dropped;
      return;
    }
    if (steps > STEPS_MAX || dropped.length >= best.length) return;
    const holding = left.filter(({ units }) => (units.get(line) ?? 0) > 0);
    for (const [index, parcel] of holding.entries()) {
      // Answers with one of the parcels before this one have been tried.
      const tried = new Set(holding.slice(0, index + 1));
      search(
        without(missing, parcel),
        left.filter((one) => !tried.has(one)),
        [...dropped, parcel],
      );
    }
  };
  search(start, parcels, []);
  return best;
}
