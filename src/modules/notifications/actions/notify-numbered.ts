import type { OnNumbered } from '../../../kernel/events.ts';
import { toNotifications } from '../domain/to-notifications.ts';
import { writeNotifications } from '../store/write-notifications.ts';

/** Writes the notifications of events that have just been numbered. */
export const notifyNumbered: OnNumbered = async (db, notices, { ids, now }) => {
  const rows = toNotifications(notices, () => ids.next('ntf_'), now());
  if (rows.length > 0) await db.run(writeNotifications(rows));
};
