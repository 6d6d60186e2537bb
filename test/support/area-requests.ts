/**
 * Objects and requests of areas for the tests of every route: ids of objects that a seller has, and what a route needs
 * to succeed if its example does not.
 */
import { randomUUID } from 'node:crypto';
import { monthsBefore } from '../../src/kernel/australia/day-window.ts';
import { sydneyDate } from '../../src/kernel/australia/sydney.ts';
import type { TestApp, TestSeller } from './app.ts';
import { auditObjects } from './audit.ts';
import { conversationObjects, conversationSendings } from './conversations.ts';
import { dropshipObjects, dropshipSendings } from './dropship.ts';
import { makeFaq } from './faqs.ts';
import { eventually } from './feeds.ts';
import { publishTerms, TERMS } from './loyalty.ts';
import { marketingSendings } from './marketing.ts';
import { create } from './products.ts';
import { purchaseObjects, purchaseSendings } from './purchases.ts';
import { countedEvent, qualitySendings } from './quality.ts';
import { reviewObjects, reviewSendings } from './reviews.ts';
import { rfqObjects, rfqSendings } from './sourcing.ts';
import { storeSendings } from './store-products.ts';
import { request, ticketSendings } from './tickets.ts';

/** Ids of objects by the names of the parameters. */
export async function areaObjects(app: TestApp, seller: TestSeller): Promise<Record<string, string>> {
  const { faq_id } = await makeFaq(seller);
  const { ticket_id } = await request(seller);
  const objects = { ...(await auditObjects(seller)), ...(await conversationObjects(app, seller)) };
  // The first figures of the list of channels come after its first read.
  await eventually(
    () => seller.call<{ data: { listings: object | null }[] }>('GET', '/channels'),
    ({ body }) => body.data[0]?.listings !== null,
  );
  return {
    ...objects,
    ...(await reviewObjects(app, seller)),
    ...(await dropshipObjects(app, seller)),
    faq_id,
    ...(await rfqObjects(app, seller)),
    ...(await purchaseObjects(app, seller)),
    ticket_id,
    event_id: await countedEvent(app, seller),
  };
}

function faqSendings(sellerOf: () => TestSeller) {
  const faq = async () => ({ ids: { faq_id: (await makeFaq(sellerOf())).faq_id } });
  return {
    'faqs.create': async () => {
      const { product_id } = await create(sellerOf());
      const question = `Is it ${randomUUID()}?`;
      return { json: { scope: 'product', product_id, question, answer: 'Certainly it is.' } };
    },
    ...{ 'faqs.update': faq, 'faqs.delete': faq, 'faqs.publish': faq },
    'faqs.unpublish': async () => {
      const sending = await faq();
      await sellerOf().call('POST', `/faqs/${sending.ids.faq_id}/publish`, { json: {} });
      return sending;
    },
  };
}

const loyaltySendings = (app: TestApp) => ({
  'loyalty.enrolment.set': async () => {
    await publishTerms(app);
    return { json: { enrolled: true, program_version: TERMS.version } };
  },
});

function costSendings(app: TestApp, sellerOf: () => TestSeller) {
  const effective_from = () => monthsBefore(sydneyDate(app.app.services.now()), 1);
  const cost = () => ({ amount_minor: 1_100, effective_from: effective_from() });
  return {
    'profitability.unit_costs.set': async () => {
      const { product_id } = await create(sellerOf());
      return { ids: { product_id }, json: cost() };
    },
    'profitability.order_costs.set': async () => ({ json: cost() }),
    'profitability.unit_costs.write': async () => {
      const { seller_sku } = await create(sellerOf());
      return { json: { items: [{ seller_sku, ...cost() }] } };
    },
  };
}

function priceSendings(sellerOf: () => TestSeller) {
  const product = async () => ({ ids: { product_id: (await create(sellerOf())).product_id } });
  const body = { scope: { all: true }, strategy: 'match_lowest', params: { below_minor: 1 } };
  const rule = async () => {
    const json = { name: randomUUID(), priority: 1, ...body };
    const made = await sellerOf().call<{ rule_id: string }>('POST', '/pricing/rules', { json });
    return { ids: { rule_id: made.body.rule_id } };
  };
  return {
    'pricing.guardrails.set': product,
    'pricing.guardrails.write': async () => {
      const { product_id } = await create(sellerOf());
      return { json: { items: [{ product_id, floor_minor: 1_234 }] } };
    },
    'pricing.simulations.simulate': async () => {
      const { product_id } = await create(sellerOf());
      return { json: { items: [{ product_id, price_minor: 2_345 }] } };
    },
    'pricing.rules.update': rule,
    'pricing.rules.delete': rule,
  };
}

/** Requests by the ids of their routes. */
export const areaSendings = (
  app: Parameters<typeof storeSendings>[0] & TestApp,
  sellerOf: () => TestSeller,
) => ({
  ...storeSendings(app, sellerOf),
  ...faqSendings(sellerOf),
  ...ticketSendings(app, sellerOf),
  ...conversationSendings(app, sellerOf),
  ...loyaltySendings(app),
  ...reviewSendings(app, sellerOf),
  ...qualitySendings(app, sellerOf),
  ...costSendings(app, sellerOf),
  ...marketingSendings(app, sellerOf),
  ...priceSendings(sellerOf),
  ...rfqSendings(app, sellerOf),
  ...dropshipSendings(app, sellerOf),
  ...purchaseSendings(app, sellerOf),
});
