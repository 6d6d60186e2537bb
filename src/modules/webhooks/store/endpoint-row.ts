/** An endpoint as stored. Instants are RFC 3339. */
import { IN_STANDING } from '../../../platform/db/read-standing.ts';
import type { Payload } from '../domain/event-body.ts';

export const ENDPOINT_STATUSES = ['active', 'paused', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];
export const ORDERINGS = ['per_object', 'none'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** A secret that another has replaced; it signs beside it until then. */
export interface RetiredSecret {
  readonly secret: string;
  readonly until: string;
}

export interface EndpointKey {
  readonly seller_id: string;
  readonly endpoint_id: string;
}

export interface EndpointRow extends EndpointKey {
  readonly url: string;
  readonly description: string | null;
  readonly event_types: readonly string[];
  readonly payload: Payload;
  readonly ordering: Ordering;
  readonly max_concurrency: number;
  readonly status: EndpointStatus | 'deleted';
  readonly reason: string | null;
  readonly status_changed_at: string;
  /** Sealed; so are those it has replaced. */
  readonly secret: string;
  readonly retired_secrets: readonly RetiredSecret[];
  readonly failing_since: string | null;
  readonly fanned_through: bigint;
  /** Events behind that number that are not for it all the same: they had none yet when it began (passed-over.ts). */
  readonly passed_over: readonly string[];
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export const ENDPOINT_COLUMNS =
  'seller_id, endpoint_id, url, description, event_types, payload, ordering, max_concurrency, status, reason, ' +
  'status_changed_at, secret, retired_secrets, failing_since, fanned_through, passed_over, version, created_at, updated_at';

/** The columns of the table under another name. */
export const endpointColumnsOf = (name: string): string =>
  ENDPOINT_COLUMNS.split(', ')
    .map((column) => `${name}.${column}`)
    .join(', ');

/**
 * In SQL, of a row of the endpoints under a name: whether it is to be called. To a seller whose tokens are refused
 * nothing is told by this way either; it is kept, as for a paused endpoint.
 */
export const calledOf = (name: string): string =>
  `(${name}.status = 'active' and exists (select from v_sellers_standing s where s.seller_id = ${name}.seller_id and ${IN_STANDING}))`;

/** The columns as workers see them: what is not to be called is paused. */
export const workerColumnsOf = (name: string): string =>
  endpointColumnsOf(name).replace(
    `${name}.status,`,
    `case when ${name}.status = 'active' and not ${calledOf(name)} then 'paused' else ${name}.status end as status,`,
  );
