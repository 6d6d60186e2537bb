export {
  type DemoMarketplace,
  type DemoMarketplaceOptions,
  startDemoMarketplace,
} from './identity/start-demo-marketplace.ts';
export { DEMO_PASSWORD, demoUser } from './identity/users.ts';
export { type Demo, openDemo } from './open-demo.ts';
