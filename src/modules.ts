/**
 * The modules in mount order, each with the other modules that it may call. Every base path of the specification is
 * here; an area that is not built answers that it is planned, deferred or unavailable.
 */
import { defineModule, type ModuleDef } from './kernel/route.ts';
import { agreementModule } from './modules/agreement/index.ts';
import { auditModule } from './modules/audit/index.ts';
import { authModule } from './modules/auth/index.ts';
import { billingModule } from './modules/billing/index.ts';
import { channelsModule, storePlatformModule } from './modules/channels/index.ts';
import { createContestsModule } from './modules/contests/index.ts';
import { customerServiceModule } from './modules/customer_service/index.ts';
import { customerAnalyticsModule } from './modules/customer-analytics/index.ts';
import { dashboardModule } from './modules/dashboard/index.ts';
import { createDocsModule } from './modules/docs/index.ts';
import { dropshipModule } from './modules/dropship/index.ts';
import { factsModule } from './modules/facts/index.ts';
import { faqsModule } from './modules/faqs/index.ts';
import { feesModule } from './modules/fees/index.ts';
import { financialsModule } from './modules/financials/index.ts';
import { forecastingModule } from './modules/forecasting/index.ts';
import { kycModule } from './modules/kyc/index.ts';
import { loyaltyModule } from './modules/loyalty/index.ts';
import { marketingModule } from './modules/marketing/index.ts';
import { marketplaceIntelModule } from './modules/marketplace-intel/index.ts';
import { messagesModule } from './modules/messages/index.ts';
import { notificationsModule } from './modules/notifications/index.ts';
import { onboardingModule } from './modules/onboarding/index.ts';
import { ordersModule } from './modules/orders/index.ts';
import { callbacksModule, paymentsModule, payoutsModule } from './modules/payouts/index.ts';
import { platformModule } from './modules/platform/index.ts';
import { pricingModule } from './modules/pricing/index.ts';
import { productsModule } from './modules/products/index.ts';
import { profitabilityModule } from './modules/profitability/index.ts';
import { performanceContests, qualityModule } from './modules/quality/index.ts';
import { reviewContests, reviewsModule } from './modules/reviews/index.ts';
import { searchInsightsModule } from './modules/search-insights/index.ts';
import { sellersModule } from './modules/sellers/index.ts';
import { shippingModule } from './modules/shipping/index.ts';
import { sourcingModule } from './modules/sourcing/index.ts';
import { supplyModule } from './modules/supply/index.ts';
import { webhooksModule } from './modules/webhooks/index.ts';
import { wholesaleModule } from './modules/wholesale/index.ts';

/**
 * The modules that each module may import. It imports their `index.ts`; its `domain` imports their `domain`. There are
 * no cycles, and an unused edge is an error.
 */
export const EDGES: Readonly<Record<string, readonly string[]>> = {
  agreement: ['sellers'],
  auth: ['sellers'],
  channels: ['products'],
  'customer-analytics': ['facts'],
  customer_service: ['messages'],
  onboarding: ['channels', 'payouts', 'sellers'],
  orders: ['fees', 'ledger', 'marketing', 'products', 'sellers', 'shipping'],
  forecasting: ['facts', 'sellers'],
  'marketplace-intel': ['facts'],
  products: ['facts', 'sellers', 'shipping'],
  shipping: ['sellers'],
  fees: ['account', 'ledger', 'reconciliation'],
  dropship: ['fees', 'orders', 'products', 'shipping', 'supply'],
  dashboard: ['account', 'quality', 'reconciliation', 'settlements'],
  profitability: ['account', 'pricing', 'reconciliation'],
  financials: ['account', 'invoices', 'ledger', 'payouts', 'reconciliation', 'settlements'],
  account: ['ledger', 'reconciliation', 'settlements'],
  kyc: ['settlements'],
  messages: ['shipping'],
  invoices: ['ledger', 'reconciliation', 'settlements'],
  payouts: ['ledger', 'reconciliation', 'settlements'],
  settlements: ['ledger', 'reconciliation'],
  reconciliation: ['ledger'],
  loyalty: ['fees'],
  marketing: ['fees'],
  quality: ['contests', 'facts', 'products'],
  pricing: ['facts', 'fees'],
  reviews: ['contests', 'messages'],
  sourcing: ['supply', 'wholesale'],
  wholesale: ['pricing', 'products', 'shipping', 'supply'],
};

const planned = (name: string, title: string, summary: string, more: Partial<ModuleDef> = {}): ModuleDef =>
  defineModule({
    name,
    base: `/${name}`,
    title,
    summary,
    availability: 'planned',
    reason: `${title} is planned for a later release.`,
    routes: [],
    ...more,
  });
const deferred = (
  name: string,
  title: string,
  summary: string,
  instead = 'it is not available as a seller workflow.',
): ModuleDef =>
  planned(name, title, summary, { availability: 'deferred', reason: `${title} is deferred; ${instead}` });
/** A second way to the figures would be the one place where they could disagree. */
const FIGURES =
  'figures are in /financials/metrics, /profitability, /customer-analytics, /search-insights and /quality.';
const unavailable = (name: string, title: string, summary: string): ModuleDef =>
  planned(name, title, summary, {
    availability: 'unavailable',
    reason: `${title} is not available as a seller workflow.`,
  });

const AREAS: readonly ModuleDef[] = [
  platformModule,
  authModule,
  sellersModule,
  productsModule,
  billingModule,
  pricingModule,
  ordersModule,
  shippingModule,
  deferred('fulfillment', 'Fulfillment', 'Deferred pilot; unavailable as a seller workflow'),
  payoutsModule,
  paymentsModule,
  feesModule,
  financialsModule,
  dashboardModule,
  deferred('analytics', 'Analytics', 'Deferred; payloads depend on source data', FIGURES),
  forecastingModule,
  marketplaceIntelModule,
  profitabilityModule,
  customerAnalyticsModule,
  searchInsightsModule,
  marketingModule,
  deferred('offers', 'Offers', 'Deferred; unavailable as a seller workflow'),
  onboardingModule,
  kycModule,
  agreementModule,
  qualityModule,
  reviewsModule,
  createContestsModule([...reviewContests, performanceContests]),
  factsModule,
  customerServiceModule,
  faqsModule,
  messagesModule,
  notificationsModule,
  unavailable('ugc', 'UGC', 'Unavailable as a seller workflow'),
  loyaltyModule,
  auditModule,
  webhooksModule,
  storePlatformModule,
  callbacksModule,
  supplyModule,
  wholesaleModule,
  dropshipModule,
  sourcingModule,
  channelsModule,
];

/** The areas, and the module that describes them. */
export const MODULES: readonly ModuleDef[] = [...AREAS, createDocsModule(AREAS)];

/** Settings that modules declare, for `readConfig`. */
export const MODULE_SETTINGS = MODULES.flatMap(({ settings }) => settings ?? []);
