import { command } from './statement.ts';

/**
 * Bulk statements join a list of keys with a large table. With missing or stale statistics the planner would scan the
 * whole table instead of looking up each key by its index, in each of the hundreds of statements of a large feed.
 */
export const BY_INDEX =
  "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)";

/**
 * Turns off sequential scans until the end of the transaction. A cached plan that was made while a table was empty
 * would scan the whole table for each key after the table has grown.
 */
export const LOOK_UP = command`select set_config('enable_seqscan', 'off', true)`;
