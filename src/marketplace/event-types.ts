import type { AnyMarketplaceEvent } from '../kernel/events.ts';

/** Attributes of the published examples. */
const EXAMPLE = {
  specversion: '1.0',
  id: 'evt-1',
  source: '/marketplace/core',
  time: '2026-06-28T01:00:00Z',
} as const;
/** `subject` of event types without an entity. */
const NO_SUBJECT = '–';

/** Describes the event types: for each its JSON Schema and an event that the intake accepts. */
export function describeEventTypes(defs: readonly AnyMarketplaceEvent[]): object[] {
  return [...defs]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map((def) => {
      const { type, summary, subject, schema } = def;
      return { type, summary, subject, schema, example: exampleOf(def) };
    });
}

const ID = '01j0000000000000000000000';
const SELLER = `slr_${ID}`;

/** Subjects of events about one seller, each with an example. Events with other subjects carry no `sellerid`. */
const OF_A_SELLER: Readonly<Record<string, string>> = {
  'seller id': SELLER,
  'order id': 'ord_1002',
  'marketplace order id': 'ord_1002',
  'product id': `prd_${ID}`,
  'product or order id': `prd_${ID}`,
  'thread, order or product id': 'ord_1002',
  'shipment id': `shp_${ID}`,
  'payout id or settlement id': `pay_${ID}`,
  'contest id': `cst_${ID}`,
  'faq id': `faq_${ID}`,
  'message id': `msg_${ID}`,
  'thread id': `thr_${ID}`,
  'ticket id': `tkt_${ID}`,
  'marketplace ticket id': 'T-9',
  'promotion id': `prm_${ID}`,
  'rfq id': `rfq_${ID}`,
  'purchase order id': `por_${ID}`,
  'dropship order id': `dso_${ID}`,
};

function exampleOf({ type, subject, example, example_subject }: AnyMarketplaceEvent): object {
  const ofSeller = OF_A_SELLER[subject];
  const named = subject === NO_SUBJECT ? {} : { subject: example_subject ?? ofSeller };
  const seller = ofSeller === undefined ? {} : { sellerid: SELLER };
  return { ...EXAMPLE, type, ...named, ...seller, data: example };
}
