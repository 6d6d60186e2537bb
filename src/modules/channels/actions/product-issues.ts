/** What issues about products are about. */
import type { IssueKey } from '../store/issues.ts';
import type { LinkRow } from '../store/links.ts';

type Of = Pick<LinkRow, 'channel_id' | 'external_variant_id'>;

const ofVariant = (kind: IssueKey['kind'], { channel_id, external_variant_id }: Of): IssueKey => ({
  ...{ channel_id, kind, external_key: `variant:${external_variant_id}` },
});
export const identityConflict = (link: Of): IssueKey => ofVariant('identity_conflict', link);
export const fieldConflict = (link: Of): IssueKey => ofVariant('field_conflict', link);
export const variantIssues = (link: Of): IssueKey[] => [identityConflict(link), fieldConflict(link)];

/** One issue for all variants of a product that could not be applied. */
export const notApplied = (channel_id: string, externalProductId: string): IssueKey => ({
  ...{ channel_id, kind: 'not_applied', external_key: `product:${externalProductId}` },
});
/** The store's prices are in another currency: that concerns all its products. */
export const currencyIssue = (channel_id: string): IssueKey => ({
  ...{ channel_id, kind: 'not_applied', external_key: 'currency' },
});
