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

/** Steps of the search. With hundreds of parcels of many sizes, the best choice that was found counts. */
const STEPS_MAX = 2_000;

const isLess = (one: Cost, other: Cost): boolean => {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0);
};
const plus = (one: Cost, [parcels, labels, units]: Cost): Cost => [
  one[0] + parcels,
  one[1] + labels,
  one[2] + units,
];
const ofLine = ({ units }: DraftParcel, line: string): number => units.get(line) ?? 0;
const costOf = ({ labelled, units }: DraftParcel): Cost => [
  1,
  Number(labelled),
  [...units.values()].reduce((sum, count) => sum + count, 0),
];

type Missing = ReadonlyMap<string, number>;

/** The units that must still go after a parcel is dropped, by line. */
const without = (missing: Missing, parcel: DraftParcel): Missing =>
  new Map(
    [...missing].map(([line, count]) => [line, count - ofLine(parcel, line)] as const).filter(isMissing),
  );
const isMissing = ([, count]: readonly [string, number]): boolean => count > 0;

/** How many of the units that must go are in a parcel. */
const gainOf = (parcel: DraftParcel, missing: Missing): number =>
  [...missing].reduce((sum, [line, count]) => sum + Math.min(count, ofLine(parcel, line)), 0);

/** The parcels in the order in which they are tried: most of the missing units, no label, few units. */
function inOrder(parcels: readonly DraftParcel[], missing: Missing): DraftParcel[] {
  return parcels
    .map((parcel) => ({ parcel, gain: gainOf(parcel, missing), cost: costOf(parcel) }))
    .sort((a, b) => b.gain - a.gain || a.cost[1] - b.cost[1] || a.cost[2] - b.cost[2])
    .map(({ parcel }) => parcel);
}

/** An answer to begin with: always the parcel with the most of the units that must go. */
function takeLargest(missing: Missing, parcels: readonly DraftParcel[]): DraftParcel[] {
  if (missing.size === 0) return [];
  const [best, ...others] = inOrder(parcels, missing);
  if (best === undefined || gainOf(best, missing) === 0) return [];
  return [best, ...takeLargest(without(missing, best), others)];
}

/** The parcels that hold units of a line, those with the most first. */
interface Holders {
  readonly all: readonly DraftParcel[];
  readonly unlabelled: readonly DraftParcel[];
  readonly labelled: readonly DraftParcel[];
}

function holdersOf(parcels: readonly DraftParcel[], line: string): Holders {
  const all = parcels
    .filter((parcel) => ofLine(parcel, line) > 0)
    .sort((a, b) => ofLine(b, line) - ofLine(a, line));
  return {
    all,
    unlabelled: all.filter(({ labelled }) => !labelled),
    labelled: all.filter(({ labelled }) => labelled),
  };
}

/** The sums of the units of the first parcels that are left: of none, of one, of two and so on, up to `most`. */
function sumsOf(
  parcels: readonly DraftParcel[],
  line: string,
  left: ReadonlySet<DraftParcel>,
  most: number,
): readonly number[] {
  const sums = [0];
  for (const parcel of parcels) {
    if (sums.length > most) break;
    if (left.has(parcel)) sums.push((sums.at(-1) ?? 0) + ofLine(parcel, line));
  }
  return sums;
}

/** The least that the missing units of one line can cost, by whole parcels; undefined if too few are left. */
function leastOfLine(
  holders: Holders,
  line: string,
  count: number,
  left: ReadonlySet<DraftParcel>,
  most: number,
): Cost | undefined {
  const parcels = sumsOf(holders.all, line, left, most).findIndex((sum) => sum >= count);
  if (parcels < 0) return undefined;
  const bare = sumsOf(holders.unlabelled, line, left, parcels);
  const paid = sumsOf(holders.labelled, line, left, parcels);
  const labels = paid.findIndex((sum, index) => {
    const others = bare[Math.min(parcels - index, bare.length - 1)] ?? 0;
    return sum + others >= count;
  });
  return [parcels, Math.max(0, labels), count];
}

/** What decides whether two parcels can stand for one another. */
const kindOf = ({ labelled, units }: DraftParcel): string =>
  JSON.stringify([labelled, [...units].sort(([a], [b]) => (a < b ? -1 : 1))]);

/**
 * The parcels to drop: the fewest, of these the fewest with a label, of these the smallest, of these the first.
 *
 * @param excess units that the parcels hold and must not, by line
 */
export function parcelsToDrop(parcels: readonly DraftParcel[], excess: Missing): readonly DraftParcel[] {
  const start: Missing = new Map([...excess].filter(isMissing));
  const tries = inOrder(parcels, start);
  const holders = new Map([...start.keys()].map((line) => [line, holdersOf(parcels, line)]));
  const kinds = new Map(parcels.map((parcel) => [parcel, kindOf(parcel)]));
  const costs = new Map(parcels.map((parcel) => [parcel, costOf(parcel)]));
  const sumOf = (dropped: readonly DraftParcel[]): Cost =>
    dropped.reduce<Cost>((sum, one) => plus(sum, costs.get(one) ?? [1, 0, 0]), [0, 0, 0]);
  let best: readonly DraftParcel[] = takeLargest(start, parcels);
  let lowest = sumOf(best);
  let steps = 0;

  /** Whether an answer that drops these parcels, and others of those that are left, can be better. */
  const canBeBetter = (spent: Cost, missing: Missing, left: ReadonlySet<DraftParcel>): boolean => {
    const most = lowest[0] - spent[0];
    for (const [line, count] of missing) {
      const own = holders.get(line);
      const least = own && leastOfLine(own, line, count, left, most);
      if (least === undefined || !isLess(plus(spent, least), lowest)) return false;
    }
    return true;
  };

  const search = (
    missing: Missing,
    left: ReadonlySet<DraftParcel>,
    dropped: readonly DraftParcel[],
    spent: Cost,
  ): void => {
    steps += 1;
    const [line] = missing.keys();
    if (line === undefined) {
      if (isLess(spent, lowest)) [best, lowest] = [dropped, spent];
      return;
    }
    const open = new Set(left);
    const tried = new Set<string | undefined>();
    for (const parcel of tries) {
      if (steps > STEPS_MAX) return;
      if (!open.has(parcel) || ofLine(parcel, line) === 0) continue;
      // Answers with this parcel are tried now or, with one like it, were tried before.
      open.delete(parcel);
      if (tried.has(kinds.get(parcel))) continue;
      tried.add(kinds.get(parcel));
      const rest = without(missing, parcel);
      const cost = plus(spent, costs.get(parcel) ?? [1, 0, 0]);
      if (isLess(cost, lowest) && canBeBetter(cost, rest, open))
        search(rest, open, [...dropped, parcel], cost);
    }
  };
  search(start, new Set(parcels), [], [0, 0, 0]);
  return best;
}
