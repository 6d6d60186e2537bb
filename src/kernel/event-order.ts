import { IntakeRejection, type MarketplaceEvent } from './events.ts';

/** The marketplace may announce future facts. An instant ten years ahead is an error, and its deadlines may overflow. */
const FUTURE_MAX_MS = 10 * 366 * 86_400_000;

/**
 * Refuses instants more than ten years ahead, because after such an event all later events would be stale.
 *
 * @param instants by the names of their fields
 * @throws IntakeRejection `data_invalid`
 */
export function requireNotFuture(now: number, instants: Readonly<Record<string, string | undefined>>): void {
  for (const [field, at] of Object.entries(instants))
    if (at !== undefined && Date.parse(at) > now + FUTURE_MAX_MS)
      throw new IntakeRejection('data_invalid', `${field} lies in the future: ${at}`);
}

/** The newest event of the marketplace that a state follows. */
export interface EventOrder {
  readonly at: string | null;
  readonly version: bigint | null;
}

/** What orders an event among those of its object. */
export const orderOf = ({
  time,
  object_version,
}: Pick<MarketplaceEvent<unknown>, 'time' | 'object_version'>): EventOrder & { readonly at: string } => ({
  at: time,
  version: object_version,
});

/**
 * Whether an event is older than the one that a state follows: by their versions when both have one, else by time. An
 * equal instant is not older, because two decisions may have the same second.
 */
export function isOlder(event: EventOrder, known: EventOrder): boolean {
  if (event.version !== null && known.version !== null) return event.version < known.version;
  return event.at !== null && known.at !== null && Date.parse(event.at) < Date.parse(known.at);
}
