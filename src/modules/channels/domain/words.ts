export const PLATFORM = 'shopify';
export const INBOUND = ['active', 'paused'] as const;
export const ISSUE_STATES = ['open', 'resolved', 'ignored'] as const;
