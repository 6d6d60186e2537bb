/** What the service asks a store, and the shapes of the answers. */
import type { Question } from './ask-admin.ts';

interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
interface UserError {
  readonly message: string;
}

export interface ShopFacts {
  readonly shop: { readonly id: string; readonly name: string; readonly currencyCode: string };
  readonly locations: Page<{ readonly id: string; readonly name: string; readonly isActive: boolean }>;
  readonly webhookSubscriptions: Page<{ readonly id: string; readonly topic: string; readonly uri: string }>;
  readonly currentAppInstallation: { readonly accessScopes: readonly { readonly handle: string }[] };
}

/** A store has at most some hundred locations, and the app one subscription for each topic. */
export const SHOP_FACTS: Question = {
  query: `{
  shop { id name currencyCode }
  locations(first: 250, includeInactive: true) {
    nodes { id name isActive } pageInfo { hasNextPage endCursor }
  }
  webhookSubscriptions(first: 100) { nodes { id topic uri } pageInfo { hasNextPage endCursor } }
  currentAppInstallation { accessScopes { handle } }
}`,
};

export interface Subscribed {
  readonly webhookSubscriptionCreate: { readonly userErrors: readonly UserError[] } | null;
}
export const subscribe = (topic: string, uri: string): Question => ({
  query: `mutation subscribe($topic: WebhookSubscriptionTopic!, $to: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $to) { userErrors { message } }
}`,
  variables: { topic, to: { uri, format: 'JSON' } },
});

export interface Unsubscribed {
  readonly webhookSubscriptionDelete: { readonly userErrors: readonly UserError[] } | null;
}
export const unsubscribe = (id: string): Question => ({
  query: `mutation unsubscribe($id: ID!) {
  webhookSubscriptionDelete(id: $id) { userErrors { message } }
}`,
  variables: { id },
});

export interface Uninstalled {
  readonly appUninstall: { readonly userErrors: readonly UserError[] } | null;
}
export const UNINSTALL: Question = { query: 'mutation { appUninstall { userErrors { message } } }' };

/** The number in a global id: `gid://shopify/Location/24826418`. */
export const numberIn = (gid: string): string => /\/(\d+)(?:\?.*)?$/.exec(gid)?.[1] ?? gid;
