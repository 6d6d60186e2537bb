import { command } from '../../platform/db/statement.ts';

/** The simplest statement, which shows that the database answers. */
export const PING = command`select 1`;
