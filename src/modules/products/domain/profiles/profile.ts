/**
 * What every import profile shares: its name and the shape of its mapper.
 * Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import type { RecordFormat, TextRecord } from '../../../../kernel/readers/records.ts';
import type { FeedRow } from '../row.ts';

export const PROFILE_NAMES = [
  'store_platform_products',
  'marketplace_listings',
  'auction_file_exchange',
  'handmade_listings',
] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/**
 * What to do with the records after a second header row inside an auction file: refuse them (the default;
 * nothing is switched silently), go on reading them under the first header, or read them under the second.
 */
export const SECOND_HEADER_CHOICES = ['stop', 'keep', 'remap'] as const;
export type SecondHeaderChoice = (typeof SECOND_HEADER_CHOICES)[number];

/** How a handmade listing is identified: stated as exempt, or the shop as brand and the SKU as MPN. */
export type HandmadeIdentityChoice =
  | { readonly strategy: 'exempt' }
  | { readonly strategy: 'mpn_brand'; readonly shop_name: string };

/** What a seller may choose where a file leaves it open. */
export interface ProfileChoices {
  readonly on_second_header?: SecondHeaderChoice;
  readonly handmade_identity?: HandmadeIdentityChoice;
}

/** What a mapper must know beyond the file. */
export interface MapperContext extends ProfileChoices {
  /** ISO 4217; the currency of files that name none. */
  readonly seller_currency: string;
  /** The delimiter of the file: `;` goes with decimal commas. */
  readonly delimiter?: RecordFormat['delimiter'];
}

/**
 * Turns the records after the header into rows, in file order. A row may be held back until the records that
 * complete it (images, variants) have been seen; `end` hands out what is left.
 */
export interface ProfileMapper {
  push(record: TextRecord): FeedRow[];
  end(): FeedRow[];
}

export type CreateMapper = (header: readonly string[], context: MapperContext) => ProfileMapper;
