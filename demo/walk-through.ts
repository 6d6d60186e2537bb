/** The walk-through that a start in development prints: each line can be pasted into a shell in the repository. */

import { PAST_OWNER } from './past/past-shop.ts';

export interface WalkThroughPlace {
  readonly apiUrl: string;
  readonly internalUrl: string;
  readonly demoUrl: string;
  readonly dataDir: string;
  /** Whether the demo marketplace has a shop with a past. */
  readonly hasPast: boolean;
}

export interface Step {
  readonly title: string;
  readonly command: string;
}

const AUTH = '-H "Authorization: Bearer $TOKEN"';
const JSON_TYPE = "-H 'Content-Type: application/json'";
const CSV_TYPE = "-H 'Content-Type: text/csv'";
/** Extracts the first value of a field, with standard tools only. */
const field = (name: string): string => `grep -o '"${name}":"[^"]*"' | head -n 1 | cut -d'"' -f4`;

const signIn = (demoUrl: string, email: string): string =>
  `SESSION=$(curl -s -X POST ${demoUrl}/session -d '{"email":"${email}","aal":"aal2"}' | ${field('access_token')})`;
const exchange = `TOKEN=$(curl -s -X POST $API/auth/exchange ${JSON_TYPE} -d "{\\"marketplace_token\\":\\"$SESSION\\"}" | ${field('access_token')})`;
const read = (path: string): string => `curl -s "$API${path}" ${AUTH}`;
const internal = ({ internalUrl, dataDir }: WalkThroughPlace, path: string): string =>
  `curl -s ${internalUrl}/internal/v1/${path} -H "Authorization: Bearer $(cat ${dataDir}/keys/internal-token)"`;

/** The money of a shop with a past: from the overview to a line, an invoice and a payout. */
const moneySteps = (place: WalkThroughPlace): readonly Step[] => [
  {
    title: 'Sign in as June, whose shop has traded here for weeks (amounts are cents, days are Sydney days)',
    command: `${signIn(place.demoUrl, PAST_OWNER)}; ${exchange}`,
  },
  {
    title: 'Her money at a glance: sales - fees + adjustments = paid out + pending',
    command: `${read('/financials/dashboard')}; echo`,
  },
  {
    title: 'Her settlements: two a month, the newest first; the open one is computed as you ask',
    command: `${read('/financials/settlements')}; echo`,
  },
  {
    title: 'The last one that was paid: opening + net + reserve = payable = payout + closing',
    command: `SETTLEMENT=$(${read('/financials/settlements?status=paid&limit=1')} | ${field('settlement_id')}); ${read('/financials/settlements/$SETTLEMENT')}; echo`,
  },
  {
    title: 'Its first lines: sales, fees and refunds of single order lines',
    command: `${read('/financials/settlements/$SETTLEMENT/entries?limit=4')}; echo`,
  },
  {
    title: 'Prove it: every sum is computed again from orders and lines, and compared with the closed one',
    command: `${read('/financials/settlements/$SETTLEMENT/proof?limit=2')}; echo`,
  },
  {
    title: 'As a file for a spreadsheet; the amounts sum to zero, so that nothing is left unexplained',
    command: `${read('/financials/settlements/$SETTLEMENT/export/csv')} -o settlement.csv; ${read('/financials/settlements/$SETTLEMENT/export/csv?layout=journal')} | tee journal.csv`,
  },
  {
    title: 'The invoice for its fees, as a PDF (fees given back of an earlier one have a note of their own)',
    command: `INVOICE=$(${read('/financials/invoices?settlement_id=$SETTLEMENT&kind=tax_invoice')} | ${field('invoice_id')}); ${read('/financials/invoices/$INVOICE/pdf')} -o invoice.pdf; ls -l invoice.pdf`,
  },
  {
    title: 'The payout that brought it to the bank',
    command: `${read('/payments/payouts?settlement_id=$SETTLEMENT')}; echo`,
  },
  {
    title:
      'What an order was charged that was refunded in part: against the rates of its day, with the cause of the difference',
    command: `SOLD=$(${read('/financials/entries?type=refund&limit=1')} | ${field('order_id')}); ${read('/fees/orders/$SOLD')}; echo`,
  },
  {
    title:
      'What a sale would cost, before it happens: each fee with its formula, and the components that are not known yet',
    command: `curl -s -X POST $API/fees/estimates ${AUTH} ${JSON_TYPE} -d '{"items":[{"reference":"LAMP-CLAY","category":"Lighting","price_minor":14950,"quantity":1,"shipping_minor":995}]}'; echo`,
  },
  {
    title: 'Sales of this quarter, for the accountant: activity only, no tax figure',
    command: `${read('/financials/marketplace-activity/export/csv')}`,
  },
  {
    title: "The marketplace's side: every account of the ledger; debits are above zero, and all sum to zero",
    command: `${internal(place, 'ledger/balances')}; echo`,
  },
  {
    title: 'Her newest order: new ones keep coming, her staff accepts and sends them',
    command: `${read('/orders?limit=1')}; echo`,
  },
];

/** The first order, from its arrival to the dispatch of its parcel. */
const orderSteps: readonly Step[] = [
  {
    title: 'Wait for an order: the demo marketplace approves the products and places an order within seconds',
    command: `until ORDER=$(curl -s "$API/orders?status=awaiting_acceptance&limit=1" ${AUTH} | ${field('order_id')}); [ -n "$ORDER" ]; do sleep 1; done; echo $ORDER`,
  },
  {
    title: 'Read it: lines, quantities, deadlines and the actions it allows',
    command: `curl -s $API/orders/$ORDER ${AUTH}; echo`,
  },
  {
    title: 'Accept it; its units stay reserved in the stock',
    command: `curl -s -X POST $API/orders/$ORDER/accept ${AUTH} ${JSON_TYPE} -d '{}' | grep -o '"status":"[^"]*"' | head -n 1`,
  },
  {
    title: 'Pack everything into one parcel',
    command: `SHIPMENT=$(curl -s -X POST $API/orders/$ORDER/shipments ${AUTH} ${JSON_TYPE} -H "Idempotency-Key: pack-$ORDER" -d '{"packages":[{"weight_g":650,"length_mm":200,"width_mm":150,"height_mm":120}]}' | ${field('shipment_id')}); echo $SHIPMENT`,
  },
  {
    title: 'Make a label of your own (other carriers: a quote, or your own tracking number)',
    command: `curl -s -X POST $API/orders/$ORDER/shipments/$SHIPMENT/label ${AUTH} ${JSON_TYPE} -H "Idempotency-Key: label-$SHIPMENT" -d '{"carrier":"own","service":"standard"}' | grep -o '"tracking_number":"[^"]*"' | head -n 1`,
  },
  {
    title: 'Print it: PDF, PNG or ZPL, with a barcode that a scanner reads',
    command: `curl -s "$API/orders/$ORDER/shipments/$SHIPMENT/label?format=pdf&size=a6" ${AUTH} -o label.pdf; ls -l label.pdf`,
  },
  {
    title: 'Hand it over; the stock goes down, and the demo marketplace delivers it in a few minutes',
    command: `curl -s -X POST $API/orders/$ORDER/shipments/$SHIPMENT/dispatch ${AUTH} ${JSON_TYPE} -d '{}' | grep -o '"status":"[^"]*"' | head -n 1`,
  },
  {
    title: 'Its events, by number: webhook endpoints get the same ones',
    command: `curl -s "$API/webhooks/events?types=order.*,shipment.*&wait=2" ${AUTH} | grep -o '"type":"[^"]*"'`,
  },
  {
    title: 'The notifications of the seller',
    command: `curl -s "$API/notifications?unread=true" ${AUTH} | grep -o '"title":"[^"]*"'`,
  },
];

/** A new shop, from the sign-in to an import of another platform's file. */
function shopSteps(place: WalkThroughPlace): readonly Step[] {
  const feed = (key: string, file: string): string =>
    `curl -s -X POST $API/products/feed-runs ${AUTH} ${CSV_TYPE} -H 'Idempotency-Key: ${key}' --data-binary @${file}`;
  // Pasted again it has another time, so it needs another id.
  const standing =
    `{"specversion":"1.0","id":"walk-through-plan-'$(date +%s)'",` +
    '"source":"/walk-through","type":"marketplace.seller.standing_changed",' +
    `"subject":"'$SELLER'","sellerid":"'$SELLER'","time":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","data":{"plan":"Small"}}`;
  return [
    {
      title: 'A shop of your own: sign in to the demo marketplace as Mia, with a second factor (aal2)',
      command: signIn(place.demoUrl, 'mia@example.com'),
    },
    {
      title: 'Register the seller (once)',
      command: `curl -s -X POST $API/auth/register -H "Authorization: Bearer $SESSION" ${JSON_TYPE} -d '{"business_name":"Mia Ceramics","tax_id":"51824753556"}'; echo`,
    },
    {
      title: 'Exchange the session for a service token (15 minutes; exchange again when it has expired)',
      command: exchange,
    },
    {
      title: 'Read the feed contract: limits, columns and codes',
      command: `curl -s $API/products/feed-contract ${AUTH}; echo`,
    },
    {
      title: 'Upload a catalogue file; three of its five rows are wrong',
      command: `RUN=$(${feed('first-feed', 'examples/catalogue.csv')} | ${field('run_id')}); echo $RUN`,
    },
    {
      title: 'Read why rows were rejected: column, value, rule and hint',
      command: `curl -s "$API/products/feed-runs/$RUN/row-results?outcome=rejected" ${AUTH}; echo`,
    },
    {
      title: 'Take the rejected rows as a file',
      command: `curl -s "$API/products/feed-runs/$RUN/row-results?outcome=rejected&format=csv" ${AUTH} -o rejected.csv; cat rejected.csv`,
    },
    {
      title: 'Correct them: a price without a symbol, a check digit, a quantity that is not negative',
      command:
        "sed -e 's/\\$24.99/24.99/' -e 's/9341234567890/9341234567855/' -e 's/,-1,/,1,/' rejected.csv > corrected.csv",
    },
    {
      title: 'Feed them back',
      command: `${feed('corrected-rows', 'corrected.csv')} | grep -o '"counts":{[^}]*}'`,
    },
    {
      title: 'Export the catalogue',
      command: `curl -s "$API/products/export?format=csv" ${AUTH} -o export.csv; cat export.csv`,
    },
    {
      title: 'Feed the export back: every row is unchanged',
      command: `${feed('export-again', 'export.csv')} | grep -o '"counts":{[^}]*}'`,
    },
    ...orderSteps,
    {
      title: "Another platform's export needs the plan Small: act as the marketplace and change the plan",
      command:
        `SELLER=$(curl -s $API/auth/session ${AUTH} | ${field('seller_id')}); ` +
        `${internal(place, 'events')} -H 'Content-Type: application/cloudevents+json' -d '${standing}'; echo`,
    },
    {
      title: 'Ask what the file is',
      command: `curl -s -X POST $API/products/import-profiles/detect ${AUTH} ${CSV_TYPE} --data-binary @examples/store-platform-export.csv; echo`,
    },
    {
      title: 'Import it: variants become products, image rows merge, and each row reports what was left out',
      command: `curl -s -X POST $API/products/import-profiles ${AUTH} ${CSV_TYPE} --data-binary @examples/store-platform-export.csv; echo`,
    },
  ];
}

/** The steps: the money of the shop with a past, where there is one, then a new shop. */
export function walkThroughSteps(place: WalkThroughPlace): readonly Step[] {
  const where = { title: 'Where the API is', command: `API=${place.apiUrl}/api/v1` };
  return [where, ...(place.hasPast ? moneySteps(place) : []), ...shopSteps(place)];
}

/** The printed text. */
export function walkThrough(place: WalkThroughPlace): string {
  const steps = walkThroughSteps(place).map(
    ({ title, command }, index) => `# ${index + 1}. ${title}\n${command}`,
  );
  const docs = `API description: ${place.apiUrl}/docs   ${place.apiUrl}/redoc   ${place.apiUrl}/openapi.json`;
  return `\n${docs}\n\nWalk-through: paste line by line into another terminal, in this folder.\n\n${steps.join('\n\n')}\n`;
}
