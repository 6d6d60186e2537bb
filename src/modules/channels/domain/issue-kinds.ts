/** Kinds of integration issues. Source: docs/design/channels.md#issues. */
export const ISSUE_KINDS = [
  'reauthorise_required',
  'unknown_inventory_item',
  'identity_conflict',
  'field_conflict',
  'locations_unselected',
  'not_applied',
] as const;
export type IssueKind = (typeof ISSUE_KINDS)[number];

/** What a member can do about an issue with `POST /channels/issues/{issue_id}/resolve`. */
export const ISSUE_ACTIONS = [
  'link',
  'create_product',
  'take_store',
  'keep_here',
  'retry',
  'ignore',
] as const;
export type IssueAction = (typeof ISSUE_ACTIONS)[number];

interface KindOfIssue {
  readonly severity: 'action_required' | 'warning';
  readonly actions: readonly IssueAction[];
  /** What the seller does next, for people. */
  readonly text: string;
}

export const ISSUES: Readonly<Record<IssueKind, KindOfIssue>> = {
  reauthorise_required: { severity: 'action_required', actions: [], text: 'Authorise the store again.' },
  unknown_inventory_item: {
    severity: 'action_required',
    actions: ['link', 'ignore', 'retry'],
    text: 'Say which product this item of the store is.',
  },
  identity_conflict: {
    severity: 'action_required',
    actions: ['link', 'create_product', 'ignore'],
    text: 'Say which product this variant of the store is.',
  },
  field_conflict: {
    severity: 'action_required',
    actions: ['take_store', 'keep_here'],
    text: 'Decide between the value of the store and the value here.',
  },
  locations_unselected: {
    severity: 'action_required',
    actions: [],
    text: 'Choose the locations of the store whose stock counts here.',
  },
  not_applied: {
    severity: 'warning',
    actions: ['retry', 'ignore'],
    text: 'Mend what the issue names, then let the service try again.',
  },
};

/** A product that an issue may be about. */
export interface IssueCandidate {
  readonly product_id: string | null;
  readonly seller_sku: string | null;
  /** Why it may be this product. */
  readonly reason: string;
  /** The link of the variant that it is in the store. */
  readonly link_id?: string;
}
