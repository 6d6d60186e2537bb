/**
 * Australian states and postcodes. The ranges are Australia Post's allocation by state. Some codes belong to two or three
 * states, because localities at a border are served from the other state.
 */
export const AU_STATES = ['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'] as const;
export type AuState = (typeof AU_STATES)[number];

type Range = readonly [first: number, last: number];

const RANGES: Readonly<Record<AuState, readonly Range[]>> = {
  ACT: [
    [200, 299],
    [2600, 2620],
    [2900, 2920],
  ],
  NSW: [
    [1000, 2599],
    [2619, 2899],
    [2921, 2999],
  ],
  NT: [[800, 999]],
  QLD: [
    [4000, 4999],
    [9000, 9999],
  ],
  SA: [[5000, 5999]],
  TAS: [[7000, 7999]],
  VIC: [
    [3000, 3999],
    [8000, 8999],
  ],
  WA: [[6000, 6999]],
};

/** Codes of one state's range that other states use too. */
const ACROSS_BORDERS: Readonly<Record<string, readonly AuState[]>> = {
  '0872': ['SA', 'WA'],
  '2406': ['QLD'],
  '2540': ['ACT'],
  '2611': ['NSW'],
  '2618': ['NSW'],
  '2648': ['VIC'],
  '3585': ['NSW'],
  '3586': ['NSW'],
  '3644': ['NSW'],
  '3691': ['NSW'],
  '3707': ['NSW'],
  '4375': ['NSW'],
  '4377': ['NSW'],
  '4380': ['NSW'],
  '4383': ['NSW'],
  '4385': ['NSW'],
  '4825': ['NT'],
  '5440': ['NSW'],
};

export function isAuState(text: string): text is AuState {
  return AU_STATES.some((state) => state === text);
}

/** Four digits, leading zero included. */
export function isAuPostcode(text: string): boolean {
  return /^\d{4}$/.test(text);
}

/** Whether a well-formed postcode is in use in a state. */
export function postcodeInState(postcode: string, state: AuState): boolean {
  const value = Number(postcode);
  return (
    RANGES[state].some(([first, last]) => value >= first && value <= last) ||
    (ACROSS_BORDERS[postcode]?.includes(state) ?? false)
  );
}
