/** One store: its catalogue, its app installation, and what its owner does. */
import { Bucket } from './bucket.ts';
import { Catalogue, type Location, type NewProduct, type Order, type Product } from './catalogue.ts';
import { Deliveries } from './deliveries.ts';
import { levelPayload, locationPayload, orderPayload, productPayload } from './payloads.ts';
import { ShopTokens } from './tokens.ts';

interface Options {
  readonly domain: string;
  readonly name: string;
  readonly now: () => number;
  readonly secret: string;
  readonly apiVersion: string;
  readonly retryDelaysMs: readonly number[];
  readonly reach: (uri: string) => string;
  /** The address for the topics of the app's configuration. */
  readonly complianceUri: () => string | undefined;
  /** Keeps the ids of two stores apart. */
  readonly number: number;
}

/** Ids of one store. */
const IDS_OF_A_SHOP = 1_000_000n;

/** Faults that a test or the demo switches on. */
interface Faults {
  /** Every request is cut off. */
  unreachable: boolean;
  /** The status of every answer of the admin API, for example 402 for a frozen store. */
  status: number | undefined;
  /** The number of answers to refreshes that are lost after their effect. */
  lostRefreshes: number;
  /** Fields that the answer to a refresh lacks. */
  leaveOut: readonly string[];
  /** The exchange answers with tokens that do not expire. */
  withoutRefresh: boolean;
  /** The owner grants only these scopes. */
  grants: string | undefined;
  /** The store refuses to uninstall the app, with this message. */
  keepsApp: string | undefined;
  /** What happens elsewhere after a request had its effect and before it is answered. */
  meanwhile: ((path: string) => Promise<void>) | undefined;
}

export class Shop {
  readonly domain: string;
  readonly name: string;
  readonly id: bigint;
  /** Of its prices, ISO 4217. */
  currency = 'AUD';
  readonly tokens: ShopTokens;
  readonly catalogue: Catalogue;
  readonly deliveries: Deliveries;
  readonly bucket: Bucket;
  readonly faults: Faults = {
    unreachable: false,
    status: undefined,
    lostRefreshes: 0,
    leaveOut: [],
    withoutRefresh: false,
    grants: undefined,
    keepsApp: undefined,
    meanwhile: undefined,
  };
  private readonly complianceUri: () => string | undefined;

  constructor(options: Options) {
    const { domain, name, now, complianceUri, number } = options;
    this.domain = domain;
    this.name = name;
    this.tokens = new ShopTokens(now);
    this.catalogue = new Catalogue(now, IDS_OF_A_SHOP * BigInt(number));
    this.id = this.catalogue.nextId();
    this.deliveries = new Deliveries(options);
    this.bucket = new Bucket(now);
    this.complianceUri = complianceUri;
  }

  /** Everything that the store has, and the installed app. */
  save() {
    const subscriptions = [...this.deliveries.subscriptions];
    return { catalogue: this.catalogue.save(), tokens: this.tokens.save(), subscriptions };
  }

  load({ catalogue, tokens, subscriptions }: ReturnType<Shop['save']>): void {
    this.catalogue.load(catalogue);
    this.tokens.load(tokens);
    for (const [id, subscription] of subscriptions) this.deliveries.subscriptions.set(id, subscription);
  }

  createProduct(product: NewProduct): Product {
    const made = this.catalogue.addProduct(product);
    this.deliveries.publish('products/create', productPayload(made));
    return made;
  }

  updateProduct(id: bigint, change: Partial<Product>): Product {
    const changed = this.catalogue.changeProduct(id, change);
    this.deliveries.publish('products/update', productPayload(changed));
    return changed;
  }

  deleteProduct(id: bigint): void {
    this.catalogue.products.delete(id);
    this.deliveries.publish('products/delete', { id });
  }

  setLevel(item: bigint, location: bigint, available: number | null): void {
    const level = this.catalogue.setLevel(item, location, available);
    this.deliveries.publish('inventory_levels/update', levelPayload(level));
  }

  disconnectLevel(inventory_item_id: bigint, location_id: bigint): void {
    this.catalogue.dropLevel(inventory_item_id, location_id);
    this.deliveries.publish('inventory_levels/disconnect', { inventory_item_id, location_id });
  }

  addLocation(name: string): Location {
    const location = this.catalogue.addLocation(name);
    this.deliveries.publish('locations/create', locationPayload(location));
    return location;
  }

  updateLocation(id: bigint, change: Partial<Location>): void {
    this.deliveries.publish('locations/update', locationPayload(this.catalogue.changeLocation(id, change)));
  }

  deleteLocation(id: bigint): void {
    this.catalogue.locations.delete(id);
    this.deliveries.publish('locations/delete', { id });
  }

  placeOrder(order: Partial<Order> = {}): Order {
    const placed = this.catalogue.addOrder(order);
    this.deliveries.publish('orders/create', orderPayload(placed));
    return placed;
  }

  /** @param topic for example `orders/paid` */
  changeOrder(id: bigint, topic: string, change: Partial<Order>): void {
    this.deliveries.publish(topic, orderPayload(this.catalogue.changeOrder(id, change)));
  }

  /** The owner removes the app: its tokens and subscriptions end, and one last delivery says so. */
  uninstall(): void {
    const { deliveries, domain, id, name } = this;
    const topic = 'app/uninstalled';
    const last = [...deliveries.subscriptions.values()].filter((one) => one.topic === topic);
    this.tokens.revoke();
    deliveries.subscriptions.clear();
    for (const { uri } of last) deliveries.publishTo(uri, topic, { id, name, myshopify_domain: domain });
  }

  /** A topic of privacy law, which the app's configuration subscribes to. */
  comply(topic: 'customers/data_request' | 'customers/redact' | 'shop/redact', more: object = {}): void {
    const uri = this.complianceUri();
    if (uri === undefined) throw new Error('the app has no address for topics of privacy law');
    this.deliveries.publishTo(uri, topic, { shop_id: this.id, shop_domain: this.domain, ...more });
  }
}
