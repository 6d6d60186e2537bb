/** The part of the platform's admin schema that the service uses: an unknown field fails as it would there. */
import { buildSchema } from 'graphql';

/** Topics of subscriptions, as the schema writes them: `PRODUCTS_CREATE` is `products/create`. */
const TOPICS = [
  'PRODUCTS_CREATE',
  'PRODUCTS_UPDATE',
  'PRODUCTS_DELETE',
  'INVENTORY_LEVELS_UPDATE',
  'INVENTORY_LEVELS_DISCONNECT',
  'LOCATIONS_CREATE',
  'LOCATIONS_UPDATE',
  'LOCATIONS_DELETE',
  'ORDERS_CREATE',
  'ORDERS_UPDATED',
  'ORDERS_CANCELLED',
  'ORDERS_FULFILLED',
  'ORDERS_PAID',
  'APP_UNINSTALLED',
] as const;

export const ADMIN_SCHEMA = buildSchema(`
  scalar DateTime
  enum CurrencyCode { AUD NZD USD }
  enum WebhookSubscriptionFormat { JSON XML }
  enum WebhookSubscriptionTopic { ${TOPICS.join(' ')} }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type UserError { field: [String!] message: String! }
  type Shop { id: ID! name: String! myshopifyDomain: String! currencyCode: CurrencyCode! }
  type Location { id: ID! name: String! isActive: Boolean! }
  type LocationConnection { nodes: [Location!]! pageInfo: PageInfo! }
  type WebhookSubscription {
    id: ID! topic: WebhookSubscriptionTopic! uri: String! format: WebhookSubscriptionFormat!
  }
  type WebhookSubscriptionConnection { nodes: [WebhookSubscription!]! pageInfo: PageInfo! }
  type WebhookSubscriptionCreatePayload { webhookSubscription: WebhookSubscription userErrors: [UserError!]! }
  type WebhookSubscriptionDeletePayload { deletedWebhookSubscriptionId: ID userErrors: [UserError!]! }
  type App { id: ID! }
  type AccessScope { handle: String! }
  type AppInstallation { id: ID! accessScopes: [AccessScope!]! }
  type AppUninstallPayload { app: App userErrors: [UserError!]! }
  input WebhookSubscriptionInput { uri: String format: WebhookSubscriptionFormat }
  enum ProductSortKeys { UPDATED_AT ID TITLE }
  enum ProductStatus { ACTIVE DRAFT ARCHIVED }
  type Image { url: String! }
  type MediaPreviewImage { image: Image }
  type Media { preview: MediaPreviewImage }
  type MediaConnection { nodes: [Media!]! pageInfo: PageInfo! }
  type ProductOption { name: String! }
  type SelectedOption { name: String! value: String! }
  interface Node { id: ID! }
  type InventoryQuantity { name: String! quantity: Int! }
  type InventoryLevel {
    id: ID! location: Location! quantities(names: [String!]!): [InventoryQuantity!]! updatedAt: DateTime!
  }
  type InventoryLevelConnection { nodes: [InventoryLevel!]! pageInfo: PageInfo! }
  type InventoryItem implements Node {
    id: ID! tracked: Boolean!
    inventoryLevel(locationId: ID!): InventoryLevel
    inventoryLevels(first: Int, after: String): InventoryLevelConnection!
    variants(first: Int, after: String): ProductVariantConnection!
  }
  type ProductVariant {
    id: ID! title: String! sku: String barcode: String price: String! compareAtPrice: String
    selectedOptions: [SelectedOption!]! inventoryItem: InventoryItem! product: Product!
  }
  type ProductVariantConnection { nodes: [ProductVariant!]! pageInfo: PageInfo! }
  type Product {
    id: ID! handle: String! title: String! descriptionHtml: String! vendor: String! productType: String!
    status: ProductStatus! isGiftCard: Boolean! tags: [String!]! updatedAt: DateTime! options: [ProductOption!]!
    media(first: Int): MediaConnection!
    variants(first: Int, after: String): ProductVariantConnection!
  }
  type ProductConnection { nodes: [Product!]! pageInfo: PageInfo! }
  type Query {
    shop: Shop!
    products(first: Int, after: String, sortKey: ProductSortKeys, query: String): ProductConnection!
    product(id: ID!): Product
    inventoryItem(id: ID!): InventoryItem
    nodes(ids: [ID!]!): [Node]!
    locations(first: Int, after: String, includeInactive: Boolean = false): LocationConnection!
    webhookSubscriptions(first: Int, after: String): WebhookSubscriptionConnection!
    currentAppInstallation: AppInstallation!
  }
  type Mutation {
    webhookSubscriptionCreate(
      topic: WebhookSubscriptionTopic!
      webhookSubscription: WebhookSubscriptionInput!
    ): WebhookSubscriptionCreatePayload
    webhookSubscriptionDelete(id: ID!): WebhookSubscriptionDeletePayload
    appUninstall: AppUninstallPayload
  }
`);
