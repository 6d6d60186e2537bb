/**
 * Bulk statements join a list of keys with a large table. Each key is to be looked up by its index: a planner that
 * has no statistics yet, or old ones, takes a pass over the whole table for as good, and a run of a hundred
 * thousand rows has hundreds of such statements.
 */
export const BY_INDEX =
  "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)";
