/** Version of the feed contract: a new one when a column, a code or a rule changes its meaning. */
export const CONTRACT_VERSION = '1.0';
