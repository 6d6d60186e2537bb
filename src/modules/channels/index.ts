/** Channels: where a seller's catalogue stands besides the marketplace. See docs/design/channels.md. */
import { defineModule } from '../../kernel/route.ts';
import { channelMachine } from './domain/channel-machine.ts';
import { channelEvents } from './events.ts';
import { channelJobs } from './jobs.ts';
import { deliveryCounter } from './metrics.ts';
import { channelRoutes } from './routes/channels.ts';
import { importRoutes } from './routes/imports.ts';
import { issueRoutes } from './routes/issues.ts';
import { linkRoutes } from './routes/links.ts';
import { listingRoutes } from './routes/listings.ts';
import { logRoutes } from './routes/log.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { receiverRoutes } from './routes/receiver.ts';
import { channelSettings } from './settings.ts';

export { hasStorePlatform } from './settings.ts';

export const channelsModule = defineModule({
  name: 'channels',
  base: '/channels',
  title: 'Channels',
  summary: 'Multi-channel listing management (beta)',
  availability: 'available',
  stage: 'beta',
  ids: ['chn_', 'lnk_', 'cdl_', 'sor_', 'iss_'],
  machines: [channelMachine],
  settings: channelSettings,
  systemReasons: ['connect-store', 'channels'],
  routes: [
    ...[...channelRoutes, ...importRoutes, ...oauthRoutes],
    ...[...linkRoutes, ...listingRoutes, ...issueRoutes, ...logRoutes],
  ],
  events: Object.values(channelEvents),
  jobs: channelJobs,
});

export const storePlatformModule = defineModule({
  name: 'store-platform-webhooks',
  base: '/webhooks/shopify',
  title: 'Store-platform webhook receiver',
  summary: 'Product and supported inventory events; order events visibility-only',
  availability: 'available',
  stage: 'beta',
  routes: receiverRoutes,
  counters: [deliveryCounter],
});
