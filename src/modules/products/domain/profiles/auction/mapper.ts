/**
 * Maps an auction-site file. The mapper holds a listing until the next record shows whether it has variations.
 * Source: docs/design/feeds-and-imports.md#auction-files.
 */
import type { TextRecord } from '../../../../../kernel/readers/records.ts';
import {
  createRecordNumberer,
  feedRow,
  ignoredRow,
  type NumberedRecord,
  unusableRow,
} from '../../record-rows.ts';
import type { FeedRow } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { isInfoLine } from '../cell.ts';
import type { CreateMapper, MapperContext, ProfileMapper } from '../profile.ts';
import { isAuctionHeaderRow, readAuctionHeader } from './columns.ts';
import {
  type AuctionFile,
  actionOf,
  afterParent,
  auctionKey,
  listingRow,
  type ParentListing,
  variationRow,
} from './listing.ts';
import { type AuctionAction, readVariationDetails } from './values.ts';

/** The most rows that are held with a listing. The site allows fewer compatibility rows for one listing. */
const HELD_ROWS_MAX = 3_500;

export const createAuctionMapper: CreateMapper = (header, context) => new AuctionMapper(header, context);

class AuctionMapper implements ProfileMapper {
  private file: AuctionFile;
  private readonly context: MapperContext;
  private readonly number = createRecordNumberer();
  /** A listing that may have variations, and the rows after it that are not variations. */
  private held: { readonly numbered: NumberedRecord; readonly rowsAfter: FeedRow[] } | null = null;
  private parent: ParentListing | null = null;
  /** The line of a second header. The records after it are rejected without reading them. */
  private stoppedAt: number | null = null;

  constructor(header: readonly string[], context: MapperContext) {
    this.context = context;
    this.file = {
      header: readAuctionHeader(header, context.delimiter ?? ','),
      sellerCurrency: context.seller_currency,
    };
  }

  push(record: TextRecord): FeedRow[] {
    const numbered = this.number(record);
    if (this.stoppedAt !== null) return [this.unreadRow(numbered, this.stoppedAt)];
    const ignored = this.rowWithoutEffect(numbered);
    if (ignored !== null) return this.addAfterHeld(ignored);
    if (isAuctionHeaderRow(record.cells)) return this.secondHeader(numbered);
    const fault = unusableRow(numbered, this.file.header.cells.length);
    if (fault !== null) return this.faultyRow(fault);
    return this.isVariation(record.cells) ? this.variationRows(numbered) : this.holdListing(numbered);
  }

  end(): FeedRow[] {
    return this.release();
  }

  /**
   * The row of an information line or a compatibility row, which change nothing; `null` for other records. Such rows
   * may be between a listing and its variations.
   */
  private rowWithoutEffect(numbered: NumberedRecord): FeedRow | null {
    const { cells, problem } = numbered.record;
    if (problem !== undefined) return null;
    if (isInfoLine(cells)) return ignoredRow(numbered, rowMessage('info_line'));
    const relation = this.file.header.columns.text(cells, 'relationship').toLowerCase();
    return relation === 'compatibility' ? ignoredRow(numbered, rowMessage('compatibility_ignored')) : null;
  }

  /** A blank row may be between a parent and its variations. After an unreadable row the parent is unknown. */
  private faultyRow(fault: FeedRow): FeedRow[] {
    if (fault.role === 'ignored') return this.addAfterHeld(fault);
    const rows = this.release();
    this.parent = null;
    return [...rows, fault];
  }

  private holdListing(numbered: NumberedRecord): FeedRow[] {
    const rows = this.release();
    const { cells } = numbered.record;
    this.held = { numbered, rowsAfter: [] };
    const action = actionOf(this.file, cells);
    // A row with neither an action nor a SKU names no listing, so it cannot be a parent.
    const unnamed = action === 'none' && this.file.header.columns.text(cells, 'sku') === '';
    const parent = !unnamed && action !== 'unknown' && !this.isSingleProduct(cells, action);
    this.parent = parent ? { cells, key: auctionKey(this.file, cells), action } : null;
    return rows;
  }

  /** Whether a listing has a SKU and no options. Then it is a product, and variations after it are not its own. */
  private isSingleProduct(cells: readonly string[], action: AuctionAction): boolean {
    const { columns, download } = this.file.header;
    const sells = action === 'list' || action === 'draft' || action === 'none';
    return (
      !download &&
      sells &&
      columns.text(cells, 'sku') !== '' &&
      columns.text(cells, 'relationship_details') === ''
    );
  }

  private variationRows(numbered: NumberedRecord): FeedRow[] {
    const options = readVariationDetails(this.variationDetails(numbered.record.cells));
    const parent = this.parentOf(numbered.record.cells);
    if (parent === null) {
      return [...this.release(), feedRow(numbered, null, [rowMessage('variation_without_parent')])];
    }
    if (options === null) return this.addAfterHeld(this.badDetails(numbered, parent));
    if (parent.action === 'ignore') {
      return [...this.release(), listingRow(this.file, numbered, parent.action)];
    }
    const row = variationRow(this.file, numbered, parent, options);
    if (this.held === null || this.held.numbered.record.cells !== parent.cells) {
      return [...this.release(), row];
    }
    const { numbered: listing, rowsAfter } = this.held;
    this.held = null;
    return [feedRow(listing, null, [], { role: 'merged', part_of: numbered.row_number }), ...rowsAfter, row];
  }

  /** The parent of a variation. A download may lack the listing itself; then its item number names the parent. */
  private parentOf(cells: readonly string[]): ParentListing | null {
    const { columns, download } = this.file.header;
    if (!download) return this.parent;
    const item = columns.text(cells, 'item_number');
    if (this.parent !== null && columns.text(this.parent.cells, 'item_number') === item) return this.parent;
    return { cells: [], key: `item:${item}`, action: 'list' };
  }

  private isVariation(cells: readonly string[]): boolean {
    const { columns, download } = this.file.header;
    if (download) return columns.text(cells, 'variation_details') !== '';
    return columns.text(cells, 'relationship').toLowerCase() === 'variation';
  }

  private variationDetails(cells: readonly string[]): string {
    const { columns, download } = this.file.header;
    return columns.text(cells, download ? 'variation_details' : 'relationship_details');
  }

  private badDetails(numbered: NumberedRecord, parent: ParentListing): FeedRow {
    const column = this.file.header.columns.label('relationship_details');
    const value = this.variationDetails(numbered.record.cells);
    const detail = { column, value, expected: 'Colour=Red|Size=S' };
    const messages = [rowMessage('variation_theme_mismatch', detail)];
    return feedRow(numbered, null, messages, { cells: afterParent(parent, numbered) });
  }

  private secondHeader(numbered: NumberedRecord): FeedRow[] {
    const rows = this.release();
    this.parent = null;
    const choice = this.context.on_second_header ?? 'stop';
    if (choice === 'stop') {
      this.stoppedAt = numbered.record.line_start;
      return [...rows, feedRow(numbered, null, [rowMessage('second_header')])];
    }
    if (choice === 'remap') {
      const header = readAuctionHeader(numbered.record.cells, this.context.delimiter ?? ',');
      this.file = { ...this.file, header };
    }
    const message = SECOND_HEADER_MESSAGES[choice];
    return [...rows, ignoredRow(numbered, rowMessage('second_header', { severity: 'warning', message }))];
  }

  private unreadRow(numbered: NumberedRecord, line: number): FeedRow {
    const message = `The row was not read, because it is after a second header row (line ${line}).`;
    return feedRow(numbered, null, [rowMessage('second_header', { message })]);
  }

  /** Adds a row to the held listing. Without a held listing it returns the row. */
  private addAfterHeld(row: FeedRow): FeedRow[] {
    if (this.held === null) return [row];
    this.held.rowsAfter.push(row);
    return this.held.rowsAfter.length < HELD_ROWS_MAX ? [] : this.release();
  }

  /** Returns the held listing as a product without variations, and the rows after it. */
  private release(): FeedRow[] {
    if (this.held === null) return [];
    const { numbered, rowsAfter } = this.held;
    this.held = null;
    return [this.standaloneRow(numbered), ...rowsAfter];
  }

  /** Maps a listing without variations. If it names options, it cannot be sold, because its variations are missing. */
  private standaloneRow(numbered: NumberedRecord): FeedRow {
    const row = listingRow(this.file, numbered);
    const { columns } = this.file.header;
    const namesOptions = columns.text(numbered.record.cells, 'relationship_details') !== '';
    if (!namesOptions || row.patch === null || row.role === 'deactivate') return row;
    return { ...row, role: 'staged', messages: [...row.messages, rowMessage('needs_variant_details')] };
  }
}

const SECOND_HEADER_MESSAGES = {
  keep: 'This is a second header row. As you chose, the rows after it were read under the first header row.',
  remap: 'This is a second header row. As you chose, the rows after it were read under this header row.',
} as const;
