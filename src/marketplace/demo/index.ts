export { DEMO_PASSWORD, type DemoUser, demoUser } from './demo-users.ts';
export { DEMO_AUDIENCE, type MintOptions } from './mint-session.ts';
export {
  type DemoMarketplace,
  type DemoMarketplaceOptions,
  startDemoMarketplace,
} from './start-demo-marketplace.ts';
export { createTrader, type Trader, type TraderOptions } from './trade/trader.ts';
