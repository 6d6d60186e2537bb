import { sql } from '../../platform/db/sql.ts';

/** The least that shows that the database answers. */
export const PING = sql('select 1');
