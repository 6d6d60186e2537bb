/**
 * Attributes in which an import keeps how its file qualified a field: the vendor that gave the brand, a status of the
 * store in which the listing is not on sale, stock that the store does not count or another marketplace holds, a
 * listing whose start price is no selling price. They are no content of the listing.
 * Source: docs/design/feeds-and-imports.md#import-profiles.
 */
export const FILE_MARKS = ['brand_source', 'store_status', 'stock_tracking', 'listing_format'] as const;
export type FileMark = (typeof FILE_MARKS)[number];
