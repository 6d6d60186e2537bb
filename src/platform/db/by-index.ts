import { sql } from './sql.ts';

/**
 * Bulk statements join a list of keys with a large table. Each key is to be looked up by its index: a planner that
 * has no statistics yet, or old ones, takes a pass over the whole table for as good, and a run of a hundred
 * thousand rows has hundreds of such statements.
 */
export const BY_INDEX =
  "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)";

/**
 * Until the end of the transaction no table is passed over from end to end where an index leads to the rows. Plans are
 * kept, and tables grow: one that was empty when the plan was made would be read whole for each key.
 */
export const LOOK_UP = sql("select set_config('enable_seqscan', 'off', true)");
