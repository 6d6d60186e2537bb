/** No secret of sellers, of their documents or of the operator is in the database or in the log in clear. */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { startPaymentProvider } from '../demo/payment-provider/start-payment-provider.ts';
import { prepareChannel } from '../src/modules/channels/actions/prepare-channel.ts';
import { systemNow } from '../src/platform/db/clock.ts';
import { account_flags, type TestSeller } from './support/app.ts';
import { atEnd } from './support/at-end.ts';
import { SELLER_ROUTES } from './support/described-routes.ts';
import { dumpOf, foundIn } from './support/dump.ts';
import { eventually } from './support/feeds.ts';
import { callInternal } from './support/internal.ts';
import { image, kycOn, pdfOf } from './support/kyc.ts';
import { API_KEY, RETURN_URL, SECRETS } from './support/payment-provider.ts';
import { Browser, begin, newShop, readChannel, SECRET, startStores } from './support/store-platform.ts';

const lines: string[] = [];
const output = new Writable({
  write(line: Buffer, _encoding, done) {
    lines.push(line.toString('utf8'));
    done();
  },
});
const provider = await startPaymentProvider({
  ...{ port: 0, now: systemNow, apiKey: API_KEY, secrets: SECRETS, funds: 0 },
});
atEnd(() => provider.stop());
const stores = await startStores(
  {
    ...{ LOG_LEVEL: 'debug', PAYMENT_PROVIDER: 'stripe', PAYMENT_PROVIDER_API_KEY: API_KEY },
    ...{ PAYMENT_PROVIDER_WEBHOOK_SECRETS: SECRETS.join(','), PAYMENT_PROVIDER_API_BASE: provider.url },
  },
  output,
);
const { tell, itemOf, send, submit } = kycOn(stores);
const BANK = '873451926';
const WORD = 'PASSPORT-NUMBER-N1234567';

/** The text of every answer that a seller can read, lists first, then the objects that they name. */
async function answersOf(seller: TestSeller, known: Readonly<Record<string, string>>): Promise<string[]> {
  const routes = SELLER_ROUTES.filter(({ method }) => method === 'GET').map(({ path }) =>
    path.slice('/api/v1'.length),
  );
  const texts: string[] = [];
  const read = async (path: string) => texts.push((await seller.call('GET', path)).text);
  for (const path of routes) if (!path.includes('{')) await read(path);
  const found = [...texts.join('\n').matchAll(/"(\w+_id)":"(\w+)"/g)].map(([, name = '', id = '']) => [
    name,
    id,
  ]);
  const ids: Readonly<Record<string, string>> = { ...Object.fromEntries(found), ...known };
  for (const path of routes)
    if (path.includes('{'))
      await read(path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none'));
  return texts;
}

test('no dump, no log and no answer has a token, a link, a document or a bank number', async () => {
  const seller = await stores.seller({ plan: 'Big', account_flags });
  expect(await tell(seller, 'required', { required: true, entity_type: 'sole_trader' })).toBe('applied');
  const session = await seller.session();
  const key = { 'idempotency-key': 'of-the-secrets' };

  // Documents of identity.
  const photo = await image(600, 600)
    .withExif({ IFD0: { Copyright: WORD } })
    .jpeg()
    .toBuffer();
  const paper = pdfOf('1 0 obj << /Type /Page >> endobj', `2 0 obj (${WORD}) endobj`);
  const [identity, address] = [
    await itemOf(seller, 'identity_document'),
    await itemOf(seller, 'proof_of_address'),
  ];
  const uploads = [
    await send(seller, identity.item_id, paper, 'application/pdf', '?type=passport', key),
    await send(seller, address.item_id, photo),
  ];
  expect(uploads.map(({ status }) => status)).toEqual([201, 201]);
  expect((await submit(seller)).status).toBe(201);
  const opened = await fetch(
    `${stores.internalUrl}/internal/v1/attachments/${uploads[0]?.body.attachment_id}/content`,
    { headers: { authorization: `Bearer ${stores.internalToken}`, 'x-operator': 'ops:7' } },
  );
  expect(await opened.text()).toContain(WORD);

  // The account at the payment provider.
  provider.vouchFor(seller.seller_id, BANK);
  const json = { return_url: RETURN_URL };
  const link = (path: string) =>
    seller.call<{ url: string }>('POST', `/payouts/${path}-links`, { json, headers: key });
  const onboarding = await link('onboarding');
  provider.fail('broken', '/v1/account_links');
  expect((await link('onboarding')).status).toBe(503);
  await provider.sendEvents(`${stores.url}/api/v1/webhooks/stripe`);
  const dashboard = await seller.call<{ url: string }>('POST', '/payouts/dashboard-links', { headers: key });
  expect([onboarding.status, dashboard.status]).toEqual([201, 201]);

  // A store.
  const domain = newShop();
  const started = (await begin(seller, domain)).body;
  const browser = new Browser(stores);
  const consent = await browser.toConsent(started.start_url);
  const back = new URL(await browser.decide(consent));
  expect((await browser.go(back.href)).status).toBe(200);
  await eventually(
    () => readChannel(seller, started.channel_id),
    ({ health }) => health.status === 'ok',
  );

  // Tokens that are refreshed, whose answer is lost, and that the store refuses.
  const { tokens, faults } = stores.platform.shop(domain);
  const connection = { seller_id: seller.seller_id, channel_id: started.channel_id };
  const check = () => prepareChannel(stores.app.services, connection, new AbortController().signal);
  // A job of the worker may ask the store first, and fail instead.
  const tryCheck = () => check().catch(() => undefined);
  tokens.spoil();
  faults.lostRefreshes = 1;
  await tryCheck();
  expect(faults.lostRefreshes).toBe(0);
  await check();
  tokens.spoil(true);
  await tryCheck();
  expect((await readChannel(seller, started.channel_id)).status).toBe('degraded');

  // An endpoint, whose secret is shown once.
  const endpoint = await seller.call<{ secret: string }>('POST', '/webhooks/endpoints', {
    json: { url: 'https://93.184.216.34/hook', event_types: ['*'] },
    headers: key,
  });
  expect(endpoint.status).toBe(201);

  const issued = tokens.issued.map((token, at) => [`store token ${at}`, token]);
  const secrets: Record<string, string> = {
    'service token': seller.token,
    'marketplace session': session,
    'internal token': stores.internalToken,
    'word of a document': WORD,
    'onboarding link': new URL(onboarding.body.url).pathname,
    'dashboard link': new URL(dashboard.body.url).pathname,
    'bank number': BANK,
    'key of the provider': API_KEY,
    ...Object.fromEntries(SECRETS.map((secret) => [`secret of callbacks ${secret}`, secret])),
    'secret of the store platform': SECRET,
    'ticket of the start': new URL(started.start_url).pathname.split('/').at(-1) ?? '',
    'state of the consent': back.searchParams.get('state') ?? '',
    'code of the consent': back.searchParams.get('code') ?? '',
    'cookie of the browser': browser.cookies[0] ?? '',
    'secret of the endpoint': endpoint.body.secret,
    ...Object.fromEntries(issued),
  };
  expect(Object.entries(secrets).filter(([, secret]) => secret.length < 8)).toEqual([]);
  expect(issued.length).toBeGreaterThan(0);
  const dump = await dumpOf(stores.database.adminUrl);
  const log = lines.join('');
  // What is looked for is found where it is.
  for (const known of [seller.seller_id, domain, 'application/pdf']) expect(dump).toContain(known);
  expect(log).toContain(seller.seller_id);
  expect({ dump: foundIn(dump, secrets), log: foundIn(log, secrets) }).toEqual({ dump: [], log: [] });

  const texts = await answersOf(seller, { channel_id: started.channel_id });
  const outbox = await callInternal(stores, 'GET', '/internal/v1/outbox?limit=500');
  const answers = [...texts, outbox.text].join('\n');
  for (const known of [domain, 'reauthorise_required', 'kyc.submitted']) expect(answers).toContain(known);
  const account = Object.keys(provider.life.state.accounts)[0] ?? '';
  expect(account).toMatch(/^acct_/);
  expect(foundIn(answers, { ...secrets, 'account at the provider': account })).toEqual([]);
});
