import type { OnNumbered } from '../../../kernel/events.ts';
import { toNotifications } from '../domain/to-notifications.ts';
import { clearNotifications, lockNotifications, writeNotifications } from '../store/write-notifications.ts';

/** Writes and acknowledges the notifications of events that have just been numbered. */
export const notifyNumbered: OnNumbered = async (db, notices, { ids, now }) => {
  const { written, cleared } = toNotifications(notices, () => ids.next('ntf_'), now());
  if (cleared.length > 0) {
    await db.run(lockNotifications([...cleared, ...written]));
    await db.run(clearNotifications(cleared, new Date(now()).toISOString()));
  }
  if (written.length > 0) await db.run(writeNotifications(written));
};
