/** A shop that has a store already: its connection, its import, and what the shop needs to be paid. */
import type { Part } from './step.ts';

export const STORE_PART: Part = {
  name: 'store',
  title: 'A store of your own',
  about:
    'Mia sells in a store elsewhere, too. She connects it, looks at the preview of its import and commits it.',
  after: 'start',
  steps: [
    {
      title: 'Begin to connect the store',
      method: 'POST',
      url: '$API/channels',
      json: { platform: 'shopify', shop: 'mia-$TOUR.myshopify.com' },
      take: { START: 'start_url', CHANNEL: 'channel_id' },
      show: ['channel_id', 'status', 'start_url'],
    },
    {
      title: 'Install the app in the store',
      note: 'The owner of the store opens the start address in a browser, reads what will be read, and presses Install. The demo marketplace does it for you.',
      method: 'POST',
      url: '$DEMO/store-installations',
      token: 'none',
      json: { start_url: '$START' },
      show: ['status'],
    },
    {
      title: 'Wait for the preview of the import, which begins automatically',
      method: 'GET',
      url: '$API/webhooks/events?types=channel.import_previewed&wait=25',
      take: { PREVIEW: 'run_id' },
      show: ['data.type', 'data.data.object.run_id', 'data.data.object.counts.rows'],
      hint: 'The store platform of the demo runs only inside npm start.',
    },
    {
      title: 'Read what the import would do',
      method: 'GET',
      url: '$API/products/feed-runs/$PREVIEW/row-results?limit=3',
      show: ['data.seller_sku', 'data.outcome', 'data.messages.code'],
    },
    {
      title: 'Commit it: exactly this is applied',
      note: 'Its variants are linked, and their stock follows the store from then on.',
      method: 'POST',
      url: '$API/products/feed-runs/$PREVIEW/commit',
      show: ['run_id', 'kind', 'status', 'counts.rows', 'counts.staged'],
    },
    {
      title: 'The connection and its health',
      method: 'GET',
      url: '$API/channels/$CHANNEL',
      show: ['status', 'shop.domain', 'locations.name', 'health.status'],
    },
    {
      title: 'Read the terms of the marketplace',
      note: 'The second version is published, and a shop has weeks to accept it. Nothing stops before that day.',
      method: 'GET',
      url: '$API/seller-agreement',
      take: { VERSION: 'version', DIGEST: 'text_sha256', STATEMENT: 'statement' },
      show: ['status', 'current.version', 'current.text_sha256', 'due_at', 'statement'],
    },
    {
      title: 'Accept them, with the digest of the text that you have read',
      note: 'The receipt proves to both sides what was accepted, when and by whom.',
      method: 'POST',
      url: '$API/seller-agreement/acceptances',
      json: { version: '$VERSION', text_sha256: '$DIGEST', statement: '$STATEMENT' },
      show: ['version', 'accepted_at', 'receipt_sha256'],
    },
    {
      title: 'Ask what the marketplace must see to know who you are',
      note: 'A marketplace that must know its sellers lists its documents here; each is sent as a file to its item, and POST /kyc/submissions hands the case in. The demo marketplace asks a new shop for nothing.',
      method: 'GET',
      url: '$API/kyc',
      show: ['status', 'items', 'waiting_on'],
    },
    {
      title: 'Open the account that payouts go to',
      note: 'Open the address in a browser: the provider asks for a name, an address and a bank account.',
      method: 'POST',
      url: '$API/payouts/onboarding-links',
      json: { return_url: 'http://localhost/' },
      show: ['url', 'expires_at'],
    },
    {
      title: 'What the shop still needs',
      method: 'GET',
      url: '$API/onboarding',
      show: ['ready_to_sell', 'ready_for_payout', 'progress', 'next'],
    },
  ],
};
