/**
 * Names of the import profiles and the shape of their mappers.
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
 * How to treat the records after a second header row in an auction file: refuse them (the default), read them under
 * the first header, or read them under the second.
 */
export const SECOND_HEADER_CHOICES = ['stop', 'keep', 'remap'] as const;
export type SecondHeaderChoice = (typeof SECOND_HEADER_CHOICES)[number];

/** How a handmade listing is identified: as exempt, or by the shop as brand and the SKU as MPN. */
export type HandmadeIdentityChoice =
  | { readonly strategy: 'exempt' }
  | { readonly strategy: 'mpn_brand'; readonly shop_name: string };

/** Choices of the seller that a file cannot state. */
export interface ProfileChoices {
  readonly on_second_header?: SecondHeaderChoice;
  readonly handmade_identity?: HandmadeIdentityChoice;
}

export interface MapperContext extends ProfileChoices {
  /** ISO 4217; the currency of files that name none. */
  readonly seller_currency: string;
  /** The delimiter of the file: `;` goes with decimal commas. */
  readonly delimiter?: RecordFormat['delimiter'];
}

/**
 * Maps the records after the header to rows, in file order. A mapper may hold rows until it has the records that
 * complete them (images, variants); `end` returns the held rows.
 */
export interface ProfileMapper {
  push(record: TextRecord): FeedRow[];
  end(): FeedRow[];
}

export type CreateMapper = (header: readonly string[], context: MapperContext) => ProfileMapper;
