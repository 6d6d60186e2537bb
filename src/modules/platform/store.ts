import { command } from '../../platform/db/statement.ts';

/** The least that shows that the database answers. */
export const PING = command`select 1`;
