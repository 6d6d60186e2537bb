/** Invented buyers in Australia; postcodes lie in their states. */
import type { Random } from './random.ts';

interface Buyer {
  readonly alias: string;
  readonly customer_ref: string;
  readonly address: {
    readonly name: string;
    readonly line1: string;
    readonly city: string;
    readonly state: string;
    readonly postcode: string;
    readonly country: 'AU';
  };
}

const FIRST = 'Ava Noah Isla Leo Mia Kai Ruby Arjun Linh Omar Zoe Tāne Chloé Jun'.split(' ');
const LAST = "Nguyen Smith Patel Brown O'Connor Lee Papadopoulos Wilson Haddad Taylor".split(' ');
const STREETS = 'Acacia Avenue,Station Street,Beach Road,Wattle Lane,High Street,Banksia Court'.split(',');
const PLACES = [
  ['Sydney', 'NSW', '2000'],
  ['Newcastle', 'NSW', '2300'],
  ['Melbourne', 'VIC', '3000'],
  ['Geelong', 'VIC', '3220'],
  ['Brisbane', 'QLD', '4000'],
  ['Cairns', 'QLD', '4870'],
  ['Adelaide', 'SA', '5000'],
  ['Perth', 'WA', '6000'],
  ['Hobart', 'TAS', '7000'],
  ['Darwin', 'NT', '0800'],
  ['Canberra', 'ACT', '2600'],
] as const;

/** A buyer; the number makes the references unique. */
export function buyer(random: Random, number: number): Buyer {
  const [city, state, postcode] = random.pick(PLACES) ?? PLACES[0];
  return {
    alias: `buyer_${number.toString(36)}`,
    customer_ref: `cus_${number}`,
    address: {
      name: `${random.pick(FIRST)} ${random.pick(LAST)}`,
      line1: `${random.between(1, 240)} ${random.pick(STREETS)}`,
      city,
      state,
      postcode,
      country: 'AU',
    },
  };
}
