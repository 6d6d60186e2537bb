/**
 * When all attempts have failed for this long, the service disables the endpoint and notifies its seller.
 * Source: docs/design/wire.md#webhook-deliveries.
 */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

/** The job that checks whether an endpoint has failed ever since it began to fail. */
export const DISABLE_JOB = 'webhooks.disable_failing';
