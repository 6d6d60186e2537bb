/** Shipping: prices for buyers, quotes of carriers, labels, manifests and tracking. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { profileChanged } from './events.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { labelRoutes } from './routes/labels.ts';
import { manifestRoutes } from './routes/manifests.ts';
import { profileRoutes } from './routes/profiles.ts';
import { quoteRoutes } from './routes/quotes.ts';
import { ruleChanged, ruleRoutes } from './routes/rules.ts';
import { simulateRoutes } from './routes/simulate.ts';
import { trackingRoutes } from './routes/tracking.ts';
import { shippingSettings } from './settings.ts';
import { shippingEraser } from './store/erase-receivers.ts';

export { type DispatchDeadline, dispatchDeadline } from './actions/dispatch-deadline.ts';
export { printedAddress, requireFittingAddresses, senderOf } from './actions/label-addresses.ts';
export { labelFile } from './actions/label-file.ts';
export { takeQuote } from './actions/take-quote.ts';
export type { CarrierAdapter } from './adapters/adapter.ts';
export { adapterOf, longestCallMs } from './adapters/adapters.ts';
export { carrierOf, OWN_CARRIER, serviceOf, trackingHosts } from './domain/carriers.ts';
export { DISPATCH_SOURCES, type DispatchRule, MARKETPLACE_RULE } from './domain/dispatch-rule.ts';
export type { PrintedAddress } from './domain/label.ts';
export type { RateRequest } from './domain/rate-table.ts';
export { checkTracking, hasPublishedForm, trackingUrl } from './domain/tracking-number.ts';
export { shippingErrors } from './errors.ts';
export { LABEL_CONTENT_TYPES, LabelPrintQuery, LabelStatus } from './schemas/label-print.ts';
export { Weekday } from './schemas/profile.ts';
export { holdProfiles } from './store/profiles.ts';
export { giveBackQuote } from './store/quotes.ts';
export { loadSender } from './store/sender.ts';

export const shippingModule = defineModule({
  name: 'shipping',
  base: '/shipping',
  title: 'Shipping',
  summary: 'Profiles/rules, quotes, labels, tracking, read-only provider/service catalogue',
  availability: 'available',
  ids: ['spf_', 'spr_', 'qte_', 'man_'],
  settings: shippingSettings,
  routes: [
    ...profileRoutes,
    ...simulateRoutes,
    ...ruleRoutes,
    ...quoteRoutes,
    ...catalogueRoutes,
    ...labelRoutes,
    ...manifestRoutes,
    ...trackingRoutes,
  ],
  events: [profileChanged, ruleChanged],
  eraser: shippingEraser,
});
