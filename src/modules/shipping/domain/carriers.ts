/**
 * The carriers that sellers in Australia use, the form of their tracking numbers, their tracking pages, and where
 * they do not deliver. A pattern accepts every number of the form that the carrier has published; a comment names the
 * publication. It is not narrower, because a parcel with a refused number cannot be sent, while a wrong number can be
 * corrected. All patterns are anchored, with bounded repetitions that do not overlap, so no input makes them slow.
 */
export interface CarrierService {
  readonly code: string;
  readonly name: string;
  /** The usual business days in transit, from the carrier's pages. */
  readonly transit_days_min: number;
  readonly transit_days_max: number;
}

/** Kinds of delivery points to which some carriers do not deliver. */
type RestrictedPoint = 'po_box' | 'parcel_locker';

export interface Carrier {
  readonly code: string;
  readonly name: string;
  /** `own` is the seller's own delivery, with the built-in rate table. */
  readonly kind: 'carrier' | 'own';
  /** ECMAScript regular expression over the number without blanks, in upper case. */
  readonly tracking_pattern: string;
  readonly tracking_example: string;
  /** The address of the tracking page; `{tracking_number}` stands for the number. Null if the carrier has none. */
  readonly tracking_url: string | null;
  readonly refuses: readonly RestrictedPoint[];
  readonly authority_to_leave: boolean;
  readonly services: readonly CarrierService[];
}

const service = (code: string, name: string, min: number, max: number): CarrierService => ({
  code,
  name,
  transit_days_min: min,
  transit_days_max: max,
});
/** Only Australia Post delivers to its boxes and lockers. */
const STREET_ONLY = ['po_box', 'parcel_locker'] as const;

/** For carriers that do not publish the form of their numbers. It refuses only texts that no carrier uses. */
export const UNPUBLISHED = '^[0-9A-Z]{6,30}$';

export const OWN_CARRIER = 'own';

type Differing = 'kind' | 'refuses' | 'authority_to_leave';
/** The values of most carriers. */
const USUAL: Pick<Carrier, Differing> = {
  kind: 'carrier',
  refuses: STREET_ONLY,
  authority_to_leave: true,
};
const KNOWN: readonly (Omit<Carrier, Differing> & Partial<Carrier>)[] = [
  {
    code: OWN_CARRIER,
    name: 'Own delivery',
    kind: 'own',
    tracking_pattern: '^SPX\\d{16}$',
    tracking_example: 'SPX1000000000000008',
    tracking_url: null,
    services: [service('standard', 'Standard', 2, 6), service('express', 'Express', 1, 3)],
  },
  {
    code: 'australia_post',
    name: 'Australia Post',
    // Shipping and Tracking API, reference: consignment, and article of consignment, count, product and check.
    // All-digit articles of its counters, and S10 of the postal union.
    tracking_pattern: '^(?:[0-9A-Z]{3,5}\\d{7}(?:\\d{11})?|\\d{20,24}|[A-Z]{2}\\d{9}[A-Z]{2})$',
    tracking_example: '2JD020603601000931508',
    tracking_url: 'https://auspost.com.au/mypost/track/details/{tracking_number}',
    refuses: [],
    services: [
      service('parcel_post', 'Parcel Post', 2, 6),
      service('express_post', 'Express Post', 1, 3),
      service('international_standard', 'International Standard', 5, 15),
    ],
  },
  {
    code: 'startrack',
    name: 'StarTrack',
    // Shipping and Tracking API, reference: consignment, or article of consignment, product and count.
    tracking_pattern: '^[0-9A-Z]{4}\\d{8}(?:[A-Z]{3}\\d{5})?$',
    tracking_example: 'LKIZ50000387EXP00001',
    tracking_url: 'https://startrack.com.au/track/details/{tracking_number}',
    services: [service('express', 'Express', 1, 4), service('premium', 'Premium', 1, 3)],
  },
  {
    code: 'sendle',
    name: 'Sendle',
    // Developer Hub, Tracking Webhooks: begins with S, six letters and digits or more.
    tracking_pattern: '^S[0-9A-Z]{5,29}$',
    tracking_example: 'S3NDL3',
    tracking_url: 'https://track.sendle.com/tracking?ref={tracking_number}',
    refuses: ['parcel_locker'],
    services: [service('standard', 'Standard', 2, 10), service('express', 'Express', 1, 3)],
  },
  {
    code: 'aramex',
    name: 'Aramex',
    tracking_pattern: UNPUBLISHED,
    tracking_example: 'MP0012345678',
    tracking_url: 'https://www.aramex.com.au/tools/track?l={tracking_number}',
    services: [service('parcel', 'Parcel', 1, 7), service('satchel', 'Satchel', 1, 7)],
  },
  {
    code: 'couriersplease',
    name: 'CouriersPlease',
    tracking_pattern: UNPUBLISHED,
    tracking_example: 'CPABCDE0000001',
    tracking_url: 'https://www.couriersplease.com.au/tools-track?no={tracking_number}',
    services: [
      service('domestic_priority', 'Domestic Priority', 1, 4),
      service('gold', 'Gold Domestic', 2, 7),
    ],
  },
  {
    code: 'tnt',
    name: 'TNT',
    // Nine digits on international invoices (contact page); in Australia with a prefix of the sender's own.
    tracking_pattern: UNPUBLISHED,
    tracking_example: 'GEN000000001',
    tracking_url:
      'https://www.tnt.com/express/en_au/site/tracking.html?searchType=con&cons={tracking_number}',
    services: [
      service('road_express', 'Road Express', 1, 7),
      service('overnight_express', 'Overnight Express', 1, 2),
    ],
  },
  {
    code: 'dhl_express',
    name: 'DHL Express',
    // DHL shipment tracking labels: ten digits, or a piece that begins with 000, JJD, JVGL "or similar".
    tracking_pattern: '^(?:\\d{10}|(?:000|JJ?D|JVGL|3S)[0-9A-Z]{7,32})$',
    tracking_example: '1234567890',
    tracking_url:
      'https://www.dhl.com/au-en/home/tracking/tracking-express.html?submit=1&tracking-id={tracking_number}',
    authority_to_leave: false,
    services: [
      service('worldwide', 'Express Worldwide', 1, 6),
      service('domestic', 'Express Domestic', 1, 3),
    ],
  },
  {
    code: 'toll',
    name: 'Toll',
    tracking_pattern: UNPUBLISHED,
    tracking_example: '8510001234567',
    tracking_url: 'https://www.mytoll.com/?externalSearchQuery={tracking_number}',
    services: [
      service('ipec_road', 'IPEC Road Express', 1, 7),
      service('priority', 'Priority Overnight', 1, 2),
    ],
  },
];
export const CARRIERS: readonly Carrier[] = KNOWN.map((carrier) => ({ ...USUAL, ...carrier }));

const BY_CODE = new Map(CARRIERS.map((carrier) => [carrier.code, carrier]));

export function carrierOf(code: string): Carrier | undefined {
  return BY_CODE.get(code);
}

export function serviceOf(carrier: string, code: string): CarrierService | undefined {
  return carrierOf(carrier)?.services.find((candidate) => candidate.code === code);
}

/** The names of a carrier and a service. For a code that is not in the catalogue, the code itself. */
export const carrierName = (code: string): string => carrierOf(code)?.name ?? code;
export const serviceName = (carrier: string, code: string): string => serviceOf(carrier, code)?.name ?? code;

/** The hosts of the carriers' tracking pages. */
export const trackingHosts = (): string[] =>
  CARRIERS.flatMap(({ tracking_url }) => (tracking_url === null ? [] : [new URL(tracking_url).hostname]));
