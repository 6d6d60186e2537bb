/** What a store has: products with variants, locations, stock, orders. Ids are beyond 2^53. */

export interface Variant {
  readonly id: bigint;
  readonly inventory_item_id: bigint;
  readonly title: string;
  readonly sku: string | null;
  readonly barcode: string | null;
  /** A plain decimal. */
  readonly price: string;
  readonly compare_at_price: string | null;
  readonly tracked: boolean;
}

export interface Product {
  readonly id: bigint;
  readonly title: string;
  readonly body_html: string;
  readonly vendor: string;
  readonly product_type: string;
  readonly handle: string;
  readonly status: 'active' | 'draft' | 'archived';
  readonly gift_card?: boolean;
  readonly tags: readonly string[];
  readonly option: string;
  readonly images: readonly string[];
  readonly variants: readonly Variant[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Location {
  readonly id: bigint;
  readonly name: string;
  readonly active: boolean;
}

export interface Level {
  readonly inventory_item_id: bigint;
  readonly location_id: bigint;
  /** Null: stock is not tracked there. */
  readonly available: number | null;
  readonly updated_at: string;
}

export interface Order {
  readonly id: bigint;
  readonly name: string;
  readonly lines: readonly {
    readonly variant_id: bigint;
    readonly sku: string | null;
    readonly quantity: number;
  }[];
  readonly total: string;
  readonly financial_status: string;
  readonly fulfillment_status: string | null;
  readonly cancelled_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A new product, as a seller types it; what is left out has a usual value. */
export type NewProduct = Partial<Omit<Product, 'id' | 'variants'>> & {
  readonly title: string;
  readonly variants?: readonly Partial<Omit<Variant, 'id' | 'inventory_item_id'>>[];
};

const FIRST_ID = 788_032_119_674_292_922n;
const handleOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

export class Catalogue {
  readonly products = new Map<bigint, Product>();
  readonly locations = new Map<bigint, Location>();
  readonly orders = new Map<bigint, Order>();
  private readonly levels = new Map<string, Level>();
  private readonly now: () => number;
  private lastId: bigint;

  /** @param offset keeps the ids of two stores apart */
  constructor(now: () => number, offset: bigint) {
    this.now = now;
    this.lastId = FIRST_ID + offset;
  }

  /** Everything that the store has. */
  save() {
    const { products, locations, orders, levels, lastId } = this;
    return {
      ...{ products: [...products], locations: [...locations], orders: [...orders], levels: [...levels] },
      lastId,
    };
  }

  load(saved: ReturnType<Catalogue['save']>): void {
    const fill = <Key, Value>(map: Map<Key, Value>, entries: readonly [Key, Value][]): void => {
      map.clear();
      for (const [key, value] of entries) map.set(key, value);
    };
    fill(this.products, saved.products);
    fill(this.locations, saved.locations);
    fill(this.orders, saved.orders);
    fill(this.levels, saved.levels);
    this.lastId = saved.lastId;
  }

  nextId(): bigint {
    this.lastId += 1n;
    return this.lastId;
  }

  /** The present second, as the platform writes instants. */
  at(): string {
    return new Date(this.now()).toISOString().replace(/\.\d{3}Z$/, 'Z');
  }

  addProduct({ variants = [{}], ...given }: NewProduct): Product {
    const at = this.at();
    const product: Product = {
      ...{ body_html: '', vendor: 'Mia Ceramics', product_type: 'Mug', status: 'active', tags: [] },
      ...{ handle: handleOf(given.title), option: 'Size', images: [], created_at: at, updated_at: at },
      ...given,
      id: this.nextId(),
      variants: variants.map((one) => ({
        ...{ title: 'Default Title', sku: null, barcode: null, price: '24.90', compare_at_price: null },
        tracked: true,
        ...one,
        id: this.nextId(),
        inventory_item_id: this.nextId(),
      })),
    };
    this.products.set(product.id, product);
    return product;
  }

  changeProduct(id: bigint, change: Partial<Product>): Product {
    const before = this.products.get(id);
    if (before === undefined) throw new Error(`no product ${id}`);
    const product = { ...before, ...change, updated_at: this.at() };
    this.products.set(id, product);
    return product;
  }

  addLocation(name: string): Location {
    const location = { id: this.nextId(), name, active: true };
    this.locations.set(location.id, location);
    return location;
  }

  changeLocation(id: bigint, change: Partial<Location>): Location {
    const before = this.locations.get(id);
    if (before === undefined) throw new Error(`no location ${id}`);
    const location = { ...before, ...change };
    this.locations.set(id, location);
    return location;
  }

  setLevel(inventory_item_id: bigint, location_id: bigint, available: number | null): Level {
    const level = { inventory_item_id, location_id, available, updated_at: this.at() };
    this.levels.set(`${inventory_item_id}:${location_id}`, level);
    return level;
  }

  dropLevel(inventory_item_id: bigint, location_id: bigint): void {
    this.levels.delete(`${inventory_item_id}:${location_id}`);
  }

  levelsOf(inventory_item_id: bigint): Level[] {
    return [...this.levels.values()].filter((level) => level.inventory_item_id === inventory_item_id);
  }

  addOrder(order: Partial<Order> = {}): Order {
    const id = this.nextId();
    const at = this.at();
    const made: Order = {
      ...{ name: `#${1_000 + this.orders.size + 1}`, lines: [], total: '24.90' },
      ...{ financial_status: 'paid', fulfillment_status: null, cancelled_at: null },
      ...{ created_at: at, updated_at: at },
      ...order,
      id,
    };
    this.orders.set(id, made);
    return made;
  }

  changeOrder(id: bigint, change: Partial<Order>): Order {
    const before = this.orders.get(id);
    if (before === undefined) throw new Error(`no order ${id}`);
    const order = { ...before, ...change, updated_at: this.at() };
    this.orders.set(id, order);
    return order;
  }
}
