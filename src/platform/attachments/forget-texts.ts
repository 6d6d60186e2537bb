/** Deletes the texts of conversations long after their end. One job for each kind of conversation. */
import type { Acting, Db } from '../../kernel/context.ts';
import type { AnyJob } from '../../kernel/route.ts';
import { acting } from '../acting.ts';
import { defineJob } from '../jobs/define-job.ts';
import { conversationSettings } from './settings.ts';

const DAY_MS = 86_400_000;
const AT_ONCE = 100;

/** A conversation of a seller. */
interface Ended {
  readonly seller_id: string;
  readonly id: string;
}

interface Forgetting {
  readonly kind: string;
  /** Conversations with texts whose last entry is from before an instant, in the system's scope. */
  readonly ended: (db: Db, before: string, limit: number) => Promise<readonly Ended[]>;
  /** Deletes the texts of one of them and notes that it did, so that it is found no more. */
  readonly forget: (ctx: Acting, id: string, before: string) => Promise<void>;
}

/** A daily job that deletes texts `CONVERSATION_RETENTION_DAYS` after the end of their conversation. */
export const forgetTextsJob = ({ kind, ended, forget }: Forgetting): AnyJob =>
  defineJob({
    kind,
    recurring: true,
    catchesUp: true,
    async handler(services, _job, signal) {
      const { now, config } = services;
      const kept = conversationSettings.of(config).CONVERSATION_RETENTION_DAYS * DAY_MS;
      const before = new Date(now() - kept).toISOString();
      for (let found = AT_ONCE; found === AT_ONCE && !signal.aborted; ) {
        const all = await services.withSystem('retention', 'read', (db) => ended(db, before, AT_ONCE));
        for (const { seller_id, id } of all)
          await services.withSellerLong(seller_id, 'write', (db) =>
            forget(acting(services, { db, seller_id }), id, before),
          );
        found = all.length;
      }
      return { againAt: now() + DAY_MS };
    },
  });
