import { isClosedAt } from '../../../kernel/australia/closing.ts';
import type { Clock, Configuration, Db, SellerCtx, Standing } from '../../../kernel/context.ts';
import { readStanding } from '../../../platform/db/read-standing.ts';
import type { Shop } from '../schemas/to-wire.ts';
import { mediaUrl } from '../settings.ts';

/** What products show of their seller. A request has read the standing before, so it costs no statement. */
export async function shopOf({
  db,
  seller_id,
  now,
  config,
  standing,
}: {
  readonly db: Db;
  readonly seller_id: string;
  readonly now: Clock;
  readonly config: Configuration;
  readonly standing?: SellerCtx['standing'];
}): Promise<Shop> {
  const seller: Standing | undefined = await (standing?.() ?? readStanding(db, seller_id));
  return {
    closed: isClosedAt(seller?.hidden_from ?? null, seller?.hidden_to ?? null, now()),
    media_url: mediaUrl(config),
  };
}
