export { DEMO_PASSWORD, type DemoUser, demoUser } from './demo-users.ts';
export { type HistoryOptions, liveHistory } from './history/live-history.ts';
export { PAST_OWNER } from './history/past-shop.ts';
export { DEMO_AUDIENCE, type MintOptions } from './mint-session.ts';
export {
  type DemoMarketplace,
  type DemoMarketplaceOptions,
  startDemoMarketplace,
} from './start-demo-marketplace.ts';
export type { Past } from './trade/shop.ts';
export { startTrade, type Trade } from './trade/start-trade.ts';
export { createTrader, type Trader, type TraderOptions } from './trade/trader.ts';
