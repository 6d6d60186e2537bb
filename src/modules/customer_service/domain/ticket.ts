/** What a ticket is about, and who is waited for. Source: docs/design/customer-service.md. */

export const TICKET_KINDS = ['seller_request', 'marketplace_request', 'enquiry', 'claim'] as const;
export type TicketKind = (typeof TICKET_KINDS)[number];

export const TICKET_TOPICS = [
  'order_problem',
  'delivery',
  'return',
  'refund',
  'claim',
  'dispute',
  'settlement',
  'payout',
  'fee',
  'invoice',
  'catalogue',
  'account',
  'technical',
  'policy',
  'other',
] as const;
export type TicketTopic = (typeof TICKET_TOPICS)[number];

export const TICKET_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type TicketPriority = (typeof TICKET_PRIORITIES)[number];

export const TICKET_STATUSES = [
  'pending_seller',
  'pending_marketplace',
  'pending_buyer',
  'resolved',
  'closed',
] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

export const SIDES = ['seller', 'marketplace', 'buyer'] as const;
type Side = (typeof SIDES)[number];
export const AUTHORS = [...SIDES, 'system'] as const;
export type Author = (typeof AUTHORS)[number];

export const RESOLUTIONS = ['solved', 'duplicate', 'not_needed', 'other'] as const;

const WAITS: Readonly<Partial<Record<TicketStatus, Side>>> = {
  pending_seller: 'seller',
  pending_marketplace: 'marketplace',
  pending_buyer: 'buyer',
};
/** The side that is waited for; undefined once the ticket is resolved. */
export const waitsFor = (status: TicketStatus): Side | undefined => WAITS[status];
export const pendingOf = (side: Side): TicketStatus => `pending_${side}`;

/** The status after the seller writes: a buyer reads an enquiry, the marketplace everything else. */
export const afterSeller = (kind: TicketKind): TicketStatus =>
  kind === 'enquiry' ? 'pending_buyer' : 'pending_marketplace';

export const CLAIM_TYPES = [
  'not_received',
  'not_as_described',
  'damaged',
  'refund_missing',
  'other',
] as const;
export const CLAIM_DECISIONS = ['granted', 'partly_granted', 'denied', 'withdrawn'] as const;
type ClaimDecision = (typeof CLAIM_DECISIONS)[number];

export interface Claim {
  readonly type: (typeof CLAIM_TYPES)[number];
  readonly amount_minor: number;
  readonly currency: string;
  readonly filed_at: string;
  readonly respond_by: string;
  /** What silence leads to. */
  readonly default_outcome: ClaimDecision;
  /** Null until the seller answers. */
  readonly response: {
    readonly kind: 'responded' | 'accepted';
    readonly at: string;
    readonly late: boolean;
    readonly offer_minor: number | null;
  } | null;
  readonly decision: ClaimDecision | null;
  readonly granted_minor: number | null;
  readonly funded_by: 'seller' | 'marketplace' | null;
  readonly decided_at: string | null;
  readonly appeal_by: string | null;
  readonly appeal: {
    readonly at: string;
    readonly decision: ClaimDecision | null;
    readonly decided_at: string | null;
  } | null;
}

/** Whether the marketplace still has to decide: there is no decision, or an appeal is open. */
export const isUndecided = ({ decision, appeal }: Claim): boolean =>
  decision === null || (appeal !== null && appeal.decision === null);

/** The decision that counts: that of the appeal if there is one. */
export const lastDecision = ({ decision, appeal }: Claim): ClaimDecision | null =>
  appeal?.decision ?? decision;
