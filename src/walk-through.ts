/** The walk-through that a start in development prints; each line can be pasted as it is, from the repository's folder. */

export interface WalkThroughPlace {
  readonly apiUrl: string;
  readonly internalUrl: string;
  readonly demoUrl: string;
  readonly dataDir: string;
}

export interface Step {
  readonly title: string;
  readonly command: string;
}

const AUTH = '-H "Authorization: Bearer $TOKEN"';
const JSON_TYPE = "-H 'Content-Type: application/json'";
const CSV_TYPE = "-H 'Content-Type: text/csv'";
/** The first value of a field in an answer, with nothing but standard tools. */
const field = (name: string): string => `grep -o '"${name}":"[^"]*"' | head -n 1 | cut -d'"' -f4`;

/** A parcel of the first order, from the order to its hand-over. */
const orderSteps: readonly Step[] = [
  {
    title: 'Wait for an order: the demo marketplace reviews the products, and somebody buys within seconds',
    command: `until ORDER=$(curl -s "$API/orders?status=awaiting_acceptance&limit=1" ${AUTH} | ${field('order_id')}); [ -n "$ORDER" ]; do sleep 1; done; echo $ORDER`,
  },
  {
    title: 'Read it: lines, quantities, deadlines, and what may be done with it',
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
    title: 'What happened, by number: the same events go to webhook endpoints, and none of them is ever lost',
    command: `curl -s "$API/webhooks/events?types=order.*,shipment.*&wait=2" ${AUTH} | grep -o '"type":"[^"]*"'`,
  },
  {
    title: 'What the seller should know of',
    command: `curl -s "$API/notifications?unread=true" ${AUTH} | grep -o '"title":"[^"]*"'`,
  },
];

/** The steps, from the sign-in to the export and back. */
export function walkThroughSteps({
  apiUrl,
  internalUrl,
  demoUrl,
  dataDir,
}: WalkThroughPlace): readonly Step[] {
  const feed = (key: string, file: string): string =>
    `curl -s -X POST $API/products/feed-runs ${AUTH} ${CSV_TYPE} -H 'Idempotency-Key: ${key}' --data-binary @${file}`;
  const standing =
    '{"specversion":"1.0","id":"walk-through-plan","source":"/walk-through","type":"marketplace.seller.standing_changed",' +
    `"subject":"'$SELLER'","sellerid":"'$SELLER'","time":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","data":{"plan":"Small"}}`;
  return [
    { title: 'Where the API is', command: `API=${apiUrl}/api/v1` },
    {
      title: 'Sign in to the demo marketplace: a session with a second factor (aal2)',
      command: `SESSION=$(curl -s -X POST ${demoUrl}/session -d '{"email":"mia@example.com","aal":"aal2"}' | ${field('access_token')})`,
    },
    {
      title: 'Register the seller (once)',
      command: `curl -s -X POST $API/auth/register -H "Authorization: Bearer $SESSION" ${JSON_TYPE} -d '{"business_name":"Mia Ceramics","tax_id":"51824753556"}'; echo`,
    },
    {
      title: 'Exchange the session for a service token (15 minutes; exchange again when it has expired)',
      command: `TOKEN=$(curl -s -X POST $API/auth/exchange ${JSON_TYPE} -d "{\\"marketplace_token\\":\\"$SESSION\\"}" | ${field('access_token')})`,
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
      title: "Another platform's export needs the plan Small: play the marketplace and change the plan",
      command:
        `SELLER=$(curl -s $API/auth/session ${AUTH} | ${field('seller_id')}); ` +
        `curl -s -X POST ${internalUrl}/internal/v1/events -H "Authorization: Bearer $(cat ${dataDir}/keys/internal-token)" -H 'Content-Type: application/cloudevents+json' -d '${standing}'; echo`,
    },
    {
      title: 'Ask what the file is',
      command: `curl -s -X POST $API/products/import-profiles/detect ${AUTH} ${CSV_TYPE} --data-binary @examples/store-platform-export.csv; echo`,
    },
    {
      title: 'Import it: variants become products, image rows merge, what cannot be said is told row by row',
      command: `curl -s -X POST $API/products/import-profiles ${AUTH} ${CSV_TYPE} --data-binary @examples/store-platform-export.csv; echo`,
    },
  ];
}

/** The walk-through as it is printed. */
export function walkThrough(place: WalkThroughPlace): string {
  const steps = walkThroughSteps(place).map(
    ({ title, command }, index) => `# ${index + 1}. ${title}\n${command}`,
  );
  const docs = `API description: ${place.apiUrl}/docs   ${place.apiUrl}/redoc   ${place.apiUrl}/openapi.json`;
  return `\n${docs}\n\nWalk-through: paste line by line into another terminal, in this folder.\n\n${steps.join('\n\n')}\n`;
}
