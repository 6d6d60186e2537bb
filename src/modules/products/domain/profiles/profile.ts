/** The names of the import profiles and the interface of their mappers. */
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
 * What to do with the records after a second header row of an auction file: `stop` rejects them (the default), `keep`
 * reads them under the first header, and `remap` reads them under the second.
 */
export const SECOND_HEADER_CHOICES = ['stop', 'keep', 'remap'] as const;
export type SecondHeaderChoice = (typeof SECOND_HEADER_CHOICES)[number];

/** How a handmade listing is identified: it is exempt, or the shop is its brand and the SKU its MPN. */
export type HandmadeIdentityChoice =
  | { readonly strategy: 'exempt' }
  | { readonly strategy: 'mpn_brand'; readonly shop_name: string };

/** What the seller chooses because a file cannot state it. */
export interface ProfileChoices {
  readonly on_second_header?: SecondHeaderChoice;
  readonly handmade_identity?: HandmadeIdentityChoice;
}

export interface MapperContext extends ProfileChoices {
  /** ISO 4217. A file that names no currency is read in this one. */
  readonly seller_currency: string;
  /** The delimiter of the file. A file with `;` has decimal commas. */
  readonly delimiter?: RecordFormat['delimiter'];
}

/**
 * Maps the records after the header to rows, in file order. A mapper may hold rows back until it has read the records
 * that complete them, for example images; `end` returns the rows that are still held.
 */
export interface ProfileMapper {
  push(record: TextRecord): FeedRow[];
  end(): FeedRow[];
}

export type CreateMapper = (header: readonly string[], context: MapperContext) => ProfileMapper;
