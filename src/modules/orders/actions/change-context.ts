import type { Clock, Configuration, Db } from '../../../kernel/context.ts';
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import type { Ids } from '../../../kernel/ids.ts';
import type { Author } from '../store/order-history.ts';

/** What a change needs. Statements name the seller, so that it works in the seller's and in the system's scope. */
export interface ChangeContext {
  readonly db: Db;
  readonly sellerId: string;
  readonly now: Clock;
  readonly ids: Ids;
  readonly author: Author;
  readonly config: Configuration;
  /** The marketplace's event that is the reason, if one is. */
  readonly sourceEventId?: string;
  emit(...events: DeclaredEvent[]): Promise<void>;
}
