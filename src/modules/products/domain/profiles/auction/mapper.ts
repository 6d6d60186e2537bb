/**
 * Maps an auction-site file. A listing is held until the next record shows whether variations follow it.
 * Source: docs/design/feeds-and-imports.md#auction-files.
 */
import type { TextRecord } from '../../../../../kernel/readers/records.ts';
import type { FeedRow } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { isInfoLine } from '../cell.ts';
import type { CreateMapper, MapperContext, ProfileMapper } from '../profile.ts';
import { createRowNumberer, faultOf, feedRow, ignoredRow, type RowSite } from '../row-site.ts';
import { createKeyLedger, createSkuLedger } from '../sku-ledger.ts';
import { isAuctionHeaderRow, readAuctionHeader } from './columns.ts';
import {
  type AuctionFile,
  actionOf,
  auctionKey,
  listingRow,
  type ParentListing,
  variationRow,
} from './listing.ts';
import { readVariationDetails } from './values.ts';

/** Rows held behind a listing: more than the fitment rows that the site allows for one listing. */
const BEHIND_MAX = 3_500;

export const createAuctionMapper: CreateMapper = (header, context) => new AuctionMapper(header, context);

class AuctionMapper implements ProfileMapper {
  private file: AuctionFile;
  private readonly context: MapperContext;
  private readonly numberer = createRowNumberer();
  /** A listing that may be a parent, and the rows behind it that are no variations. */
  private held: { readonly site: RowSite; readonly behind: FeedRow[] } | null = null;
  private parent: ParentListing | null = null;
  /** Line of a second header; the records after it are not read. */
  private stoppedAt: number | null = null;

  constructor(header: readonly string[], context: MapperContext) {
    this.context = context;
    this.file = {
      header: readAuctionHeader(header, context.delimiter ?? ','),
      sellerCurrency: context.seller_currency,
      skus: createSkuLedger(),
      keys: createKeyLedger(),
    };
  }

  push(record: TextRecord): FeedRow[] {
    const site = this.numberer(record);
    if (this.stoppedAt !== null) return [this.notRead(site, this.stoppedAt)];
    const unrelated = this.unrelatedRow(site);
    if (unrelated !== null) return this.addBehind(unrelated);
    if (isAuctionHeaderRow(record.cells)) return this.secondHeader(site);
    const fault = faultOf(site, this.file.header.cells.length);
    if (fault !== null) return this.faultyRow(fault);
    return this.isVariation(record.cells) ? this.variationRows(site) : this.holdListing(site);
  }

  end(): FeedRow[] {
    return this.release();
  }

  /** Info lines and fitment rows change nothing and may stand between a listing and its variations. */
  private unrelatedRow(site: RowSite): FeedRow | null {
    const { cells, problem } = site.record;
    if (problem !== undefined) return null;
    if (isInfoLine(cells)) return ignoredRow(site, rowMessage('info_line'));
    const relation = this.file.header.columns.text(cells, 'relationship').toLowerCase();
    return relation === 'compatibility' ? ignoredRow(site, rowMessage('compatibility_ignored')) : null;
  }

  /** Blank rows may stand between a parent and its variations; after a broken row the parent is uncertain. */
  private faultyRow(fault: FeedRow): FeedRow[] {
    if (fault.role === 'ignored') return this.addBehind(fault);
    const rows = this.release();
    this.parent = null;
    return [...rows, fault];
  }

  private holdListing(site: RowSite): FeedRow[] {
    const rows = this.release();
    const { cells } = site.record;
    this.held = { site, behind: [] };
    const action = actionOf(this.file, cells);
    // A row without action and SKU names no listing, so it cannot be a parent either.
    const unnamed = action === 'none' && this.file.header.columns.text(cells, 'sku') === '';
    this.parent =
      unnamed || action === 'unknown' ? null : { cells, key: auctionKey(this.file, cells), action };
    return rows;
  }

  private variationRows(site: RowSite): FeedRow[] {
    const options = readVariationDetails(this.variationDetails(site.record.cells));
    const parent = this.parentOf(site.record.cells);
    if (parent === null) {
      return [...this.release(), feedRow(site, null, [rowMessage('variation_without_parent')])];
    }
    if (options === null) return this.addBehind(this.badDetails(site));
    if (parent.action === 'ignore') return [...this.release(), listingRow(this.file, site, parent.action)];
    const row = variationRow(this.file, site, parent, options);
    if (this.held === null || this.held.site.record.cells !== parent.cells) return [...this.release(), row];
    const { site: parentSite, behind } = this.held;
    this.held = null;
    return [feedRow(parentSite, null, [], { role: 'merged', part_of: site.row_number }), ...behind, row];
  }

  /** A download may contain a variation without its listing: the parent is then known by its number alone. */
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

  private badDetails(site: RowSite): FeedRow {
    const column = this.file.header.columns.label('relationship_details');
    const value = this.variationDetails(site.record.cells);
    const detail = { column, value, expected: 'Colour=Red|Size=S' };
    return feedRow(site, null, [rowMessage('variation_theme_mismatch', detail)]);
  }

  private secondHeader(site: RowSite): FeedRow[] {
    const rows = this.release();
    this.parent = null;
    const choice = this.context.on_second_header ?? 'stop';
    if (choice === 'stop') {
      this.stoppedAt = site.record.line_start;
      return [...rows, feedRow(site, null, [rowMessage('second_header')])];
    }
    if (choice === 'remap') {
      const header = readAuctionHeader(site.record.cells, this.context.delimiter ?? ',');
      this.file = { ...this.file, header };
    }
    const message = SECOND_HEADER_MESSAGES[choice];
    return [...rows, ignoredRow(site, rowMessage('second_header', { severity: 'warning', message }))];
  }

  private notRead(site: RowSite, line: number): FeedRow {
    const message = `Not read: a second header row stands in line ${line}, so its meaning is uncertain.`;
    return feedRow(site, null, [rowMessage('second_header', { message })]);
  }

  /** Returns a row at once, or keeps it behind the held listing. */
  private addBehind(row: FeedRow): FeedRow[] {
    if (this.held === null) return [row];
    this.held.behind.push(row);
    return this.held.behind.length < BEHIND_MAX ? [] : this.release();
  }

  /** The held listing as a product without variations, and the rows behind it. */
  private release(): FeedRow[] {
    if (this.held === null) return [];
    const { site, behind } = this.held;
    this.held = null;
    return [this.standaloneRow(site), ...behind];
  }

  /** A listing that announces variations cannot be sold when none follow. */
  private standaloneRow(site: RowSite): FeedRow {
    const row = listingRow(this.file, site);
    const { columns } = this.file.header;
    const announced = columns.text(site.record.cells, 'relationship_details') !== '';
    if (!announced || row.patch === null || row.role === 'deactivate') return row;
    return { ...row, role: 'staged', messages: [...row.messages, rowMessage('needs_variant_details')] };
  }
}

const SECOND_HEADER_MESSAGES = {
  keep: 'A second header row stands here; the rows after it were read under the first one, as chosen.',
  remap: 'A second header row stands here; the rows after it were read under it, as chosen.',
} as const;
