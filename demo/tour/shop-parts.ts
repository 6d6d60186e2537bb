/** A new shop: from the sign-in to its first dispatched parcel. */
import type { Part, RequestStep, Step } from './step.ts';

export const signInAs = (email: string, who: string): Step => ({
  title: `Sign in to the demo marketplace as ${who}`,
  note: 'A session with a second factor has the assurance level aal2. The service asks for it.',
  method: 'POST',
  url: '$DEMO/session',
  token: 'none',
  json: { email, aal: 'aal2' },
  take: { SESSION: 'access_token' },
  show: ['access_token', 'expires_in', 'user.email'],
});

export const exchange = (more: Pick<RequestStep, 'hint'> = {}): Step => ({
  title: 'Exchange the session for a token of this service',
  note: 'The token lives for 15 minutes. When it has expired, exchange the session again.',
  method: 'POST',
  url: '$API/auth/exchange',
  token: 'none',
  json: { marketplace_token: '$SESSION' },
  take: { TOKEN: 'access_token' },
  show: ['access_token', 'seller_id', 'expires_in'],
  ...more,
});

const feed = (title: string, name: string, file: string, note: string): Step => ({
  title,
  note,
  method: 'POST',
  url: '$API/products/feed-runs',
  key: `${name}-$TOUR`,
  file,
  take: { RUN: 'run_id' },
  show: ['run_id', 'status', 'counts.rows', 'counts.created', 'counts.unchanged', 'counts.rejected'],
});

const start: Part = {
  name: 'start',
  title: 'A shop of your own',
  about: 'A person signs in at the marketplace, registers a shop here, and gets a token.',
  steps: [
    signInAs('mia-$TOUR@example.com', 'Mia, a new seller'),
    {
      title: 'Register the shop',
      method: 'POST',
      url: '$API/auth/register',
      token: 'SESSION',
      json: { business_name: 'Mia Ceramics', tax_id: '$TOUR' },
      take: { SELLER: 'seller_id' },
      show: ['seller_id', 'business_name', 'status', 'plan'],
    },
    exchange(),
  ],
};

const catalogue: Part = {
  name: 'catalogue',
  title: 'The catalogue',
  about:
    'A file with mistakes is sent, its rejected rows are corrected and sent again. Then a file of another platform is imported.',
  after: 'start',
  steps: [
    {
      title: 'Read the feed contract: what files may hold, and the limits of the plan',
      method: 'GET',
      url: '$API/products/feed-contract',
      show: ['max_rows', 'max_bytes', 'columns.name', 'columns.rule', 'runs_remaining_today'],
    },
    feed(
      'Send a catalogue file',
      'first',
      'examples/catalogue.csv',
      'Three of its five rows are wrong on purpose. The right ones are applied at once.',
    ),
    {
      title: 'Read why rows were rejected',
      method: 'GET',
      url: '$API/products/feed-runs/$RUN/row-results?outcome=rejected',
      show: [
        'data.row_number',
        'data.seller_sku',
        'data.messages.column',
        'data.messages.value_excerpt',
        'data.messages.message',
      ],
    },
    {
      title: 'Get the rejected rows as a file',
      method: 'GET',
      url: '$API/products/feed-runs/$RUN/row-results?outcome=rejected&format=csv',
      save: 'rejected.csv',
    },
    {
      title: 'Correct them: the price, the check digit and the quantity',
      note: 'A person would use a spreadsheet; here a command does it.',
      from: '$FILES/rejected.csv',
      to: '$FILES/corrected.csv',
      replace: [
        ['$24.99', '24.99'],
        ['9341234567900', '9341234567909'],
        [',-1,', ',1,'],
      ],
    },
    feed(
      'Send the corrected rows',
      'corrected',
      '$FILES/corrected.csv',
      'The key makes a repeated request safe: the same key and file give the same answer.',
    ),
    {
      title: 'Export the catalogue',
      method: 'GET',
      url: '$API/products/export?format=csv',
      save: 'export.csv',
    },
    feed('Send the export back', 'export', '$FILES/export.csv', 'Nothing differs, so nothing changes.'),
    {
      title: 'Get the plan Small, which may import files of other platforms',
      note: 'Plans are sold by the marketplace. The demo marketplace gives one for the asking.',
      method: 'POST',
      url: '$DEMO/plan',
      token: 'none',
      json: { seller_id: '$SELLER', plan: 'Small' },
    },
    {
      title: 'Ask which platform a file comes from',
      method: 'POST',
      url: '$API/products/import-profiles/detect',
      file: 'examples/store-platform-export.csv',
      show: ['profile', 'confidence', 'rows', 'encoding', 'delimiter'],
    },
    {
      title: 'Import it',
      note: 'Each variant becomes a product. Rows that only hold an image are merged into their product. A gift card is not a product, and the answer says so.',
      method: 'POST',
      url: '$API/products/import-profiles',
      key: 'import-$TOUR',
      file: 'examples/store-platform-export.csv',
      show: [
        'status',
        'counts.rows',
        'counts.created',
        'counts.merged',
        'counts.staged',
        'counts.rejected',
        'row_results.outcome',
        'row_results.messages.message',
      ],
      items: 6,
    },
  ],
};

const orders: Part = {
  name: 'orders',
  title: 'The first order',
  about: 'The demo marketplace approves the products, and within seconds a buyer orders.',
  after: 'catalogue',
  steps: [
    {
      title: 'Wait for an order',
      note: 'The answer comes with the first order, or after 25 seconds without one; then send the request again.',
      method: 'GET',
      url: '$API/webhooks/events?types=order.created&wait=25',
      take: { ORDER: 'order_id' },
      show: ['data.type', 'data.sequence', 'data.data.object.order_id', 'data.data.object.order_number'],
      hint: 'The demo marketplace places no order when the service was started with DEMO_TRADE=off.',
    },
    {
      title: 'Read the order',
      note: 'Amounts are in the smallest unit of the currency: 2499 is 24.99 dollars. allowed_actions says what can be done now.',
      method: 'GET',
      url: '$API/orders/$ORDER',
      show: [
        'order_number',
        'status',
        'payment_status',
        'total_minor',
        'currency',
        'ship_to.name',
        'ship_to.city',
        'lines.kind',
        'lines.seller_sku',
        'lines.quantity',
        'deadlines.accept_by',
        'allowed_actions.action',
        'allowed_actions.allowed',
      ],
    },
    {
      title: 'Wait until the buyer has paid',
      note: 'Accepting does not need it, but look at it before you ship. payment_status of the order says the same.',
      method: 'GET',
      url: '$API/webhooks/events?types=order.payment_captured&wait=25',
      take: { PAID: 'order_id' },
      show: [
        'data.type',
        'data.data.object.order_id',
        'data.data.object.payment_status',
        'data.data.object.captured_minor',
      ],
    },
    {
      title: 'Accept it',
      note: 'The units stay reserved in the stock. An order without an answer is rejected automatically.',
      method: 'POST',
      url: '$API/orders/$ORDER/accept',
      key: 'accept-$ORDER',
      json: {},
      show: ['order_number', 'status', 'deadlines.dispatch_by'],
    },
  ],
};

const shipping: Part = {
  name: 'shipping',
  title: 'The parcel',
  about: 'The accepted units are packed, labelled, and handed over.',
  after: 'orders',
  steps: [
    {
      title: 'Say where parcels come from',
      note: 'Labels show this address.',
      method: 'PATCH',
      url: '$API/sellers/me',
      json: {
        dispatch_address: {
          line1: '12 Harbour Street',
          city: 'Sydney',
          state: 'NSW',
          postcode: '2000',
          country: 'AU',
        },
      },
      show: ['dispatch_address'],
    },
    {
      title: 'Pack everything into one parcel',
      method: 'POST',
      url: '$API/orders/$ORDER/shipments',
      key: 'pack-$ORDER',
      json: { packages: [{ weight_g: 650, length_mm: 200, width_mm: 150, height_mm: 120 }] },
      take: { SHIPMENT: 'shipment_id' },
      show: ['shipment_id', 'status', 'lines.quantity', 'packages'],
    },
    {
      title: 'Make a label',
      note: 'This one is for a delivery of your own. Carriers need an account, which the operator of the service sets up.',
      method: 'POST',
      url: '$API/orders/$ORDER/shipments/$SHIPMENT/label',
      key: 'label-$SHIPMENT',
      json: { carrier: 'own', service: 'standard' },
      show: ['status', 'tracking_number', 'label.label_id', 'label.carrier', 'label.price_minor'],
    },
    {
      title: 'Print it: PDF, PNG or ZPL',
      method: 'GET',
      url: '$API/orders/$ORDER/shipments/$SHIPMENT/label?format=pdf&size=a6',
      save: 'label.pdf',
    },
    {
      title: 'Hand the parcel over',
      note: 'The stock goes down. The demo marketplace delivers the parcel in a few minutes.',
      method: 'POST',
      url: '$API/orders/$ORDER/shipments/$SHIPMENT/dispatch',
      key: 'dispatch-$SHIPMENT',
      json: {},
      show: ['shipment_id', 'status', 'carrier', 'tracking_number', 'dispatched_at'],
    },
  ],
};

const events: Part = {
  name: 'events',
  title: 'Events',
  about:
    'Every change has an event with a number. A program reads them by number, or gets them as signed webhooks.',
  after: 'shipping',
  steps: [
    {
      title: 'Wait until the dispatch is among the events',
      method: 'GET',
      url: '$API/webhooks/events?types=order.shipped&wait=25',
      take: { SHIPPED: 'order_id' },
      show: ['data.type', 'data.sequence', 'data.data.object.order_id', 'last_sequence'],
    },
    {
      title: 'Read what happened to orders and parcels, in order',
      note: 'The numbers of a shop have no gaps. after_sequence=42 reads what came after number 42.',
      method: 'GET',
      url: '$API/webhooks/events?types=order.*,shipment.*&limit=200',
      show: ['data.sequence', 'data.type'],
      items: 20,
    },
    {
      title: 'Read the notifications for people',
      method: 'GET',
      url: '$API/notifications?unread=true',
      show: ['data.title', 'data.severity', 'unread_count'],
    },
  ],
};

export const SHOP_PARTS: readonly Part[] = [start, catalogue, orders, shipping, events];
