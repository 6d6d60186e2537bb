/**
 * All attempts failed for so long: the endpoint is disabled, and its seller told.
 * Source: docs/design/wire.md#webhook-deliveries.
 */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

/** The job that looks whether an endpoint that began to fail has done nothing else since. */
export const DISABLE_JOB = 'webhooks.disable_failing';
