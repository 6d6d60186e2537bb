/**
 * Maps an auction-site file. A listing is held for one record, because what follows it tells whether it is
 * the parent of variations. Source: docs/design/feeds-and-imports.md#auction-files.
 */
import type { TextRecord } from '../../../../../kernel/readers/records.ts';
import type { FeedRow, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { isInfoLine } from '../cell.ts';
import type { CreateMapper, MapperContext, ProfileMapper } from '../profile.ts';
import { createRowNumberer, faultOf, feedRow, type RowSite } from '../row-site.ts';
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

/**
 * Most rows that wait behind a listing for its first variation: more fitment rows than the site allows one
 * listing to have.
 */
const BEHIND_MAX = 3_500;

export const createAuctionMapper: CreateMapper = (header, context) => new AuctionMapper(header, context);

class AuctionMapper implements ProfileMapper {
  #file: AuctionFile;
  readonly #context: MapperContext;
  readonly #number = createRowNumberer();
  /** A listing that waits for the next record, and the rows between that wait behind it. */
  #held: { readonly site: RowSite; readonly behind: FeedRow[] } | null = null;
  #parent: ParentListing | null = null;
  /** Line of a second header after which nothing is read. */
  #stoppedAt: number | null = null;

  constructor(header: readonly string[], context: MapperContext) {
    this.#context = context;
    this.#file = {
      header: readAuctionHeader(header, context.delimiter ?? ','),
      sellerCurrency: context.seller_currency,
      skus: createSkuLedger(),
      keys: createKeyLedger(),
    };
  }

  push(record: TextRecord): FeedRow[] {
    const site = this.#number(record);
    if (this.#stoppedAt !== null) return [this.#notRead(site, this.#stoppedAt)];
    const passed = this.#passedOver(site);
    if (passed !== null) return this.#behind(passed);
    if (isAuctionHeaderRow(record.cells)) return this.#secondHeader(site);
    const fault = faultOf(site, this.#file.header.cells.length);
    if (fault !== null) return this.#fault(fault);
    return this.#isVariation(record.cells) ? this.#variation(site) : this.#listing(site);
  }

  end(): FeedRow[] {
    return this.#release();
  }

  /** Rows that change nothing and do not end a listing: info lines and fitment rows. */
  #passedOver(site: RowSite): FeedRow | null {
    const { cells, problem } = site.record;
    if (problem !== undefined) return null;
    if (isInfoLine(cells)) return ignored(site, rowMessage('info_line'));
    const relation = this.#file.header.columns.text(cells, 'relationship').toLowerCase();
    return relation === 'compatibility' ? ignored(site, rowMessage('compatibility_ignored')) : null;
  }

  /** Blank rows stay between a parent and its variations; after a broken one no parent is certain. */
  #fault(fault: FeedRow): FeedRow[] {
    if (fault.role === 'ignored') return this.#behind(fault);
    const rows = this.#release();
    this.#parent = null;
    return [...rows, fault];
  }

  #listing(site: RowSite): FeedRow[] {
    const rows = this.#release();
    const { cells } = site.record;
    this.#held = { site, behind: [] };
    const action = actionOf(this.#file, cells);
    // Without action and SKU a row names no listing, so it cannot be the parent of one either.
    const unnamed = action === 'none' && this.#file.header.columns.text(cells, 'sku') === '';
    this.#parent =
      unnamed || action === 'unknown' ? null : { cells, key: auctionKey(this.#file, cells), action };
    return rows;
  }

  #variation(site: RowSite): FeedRow[] {
    const options = readVariationDetails(this.#variationDetails(site.record.cells));
    const parent = this.#parentOf(site.record.cells);
    if (parent === null) {
      return [...this.#release(), feedRow(site, null, [rowMessage('variation_without_parent')])];
    }
    if (options === null) return this.#behind(this.#badDetails(site));
    if (parent.action === 'ignore') return [...this.#release(), listingRow(this.#file, site, parent.action)];
    const row = variationRow(this.#file, site, parent, options);
    if (this.#held === null || this.#held.site.record.cells !== parent.cells)
      return [...this.#release(), row];
    const { site: parentSite, behind } = this.#held;
    this.#held = null;
    return [feedRow(parentSite, null, [], { role: 'merged', part_of: site.row_number }), ...behind, row];
  }

  /** In a download a variation without the listing above it is its own parent's only trace. */
  #parentOf(cells: readonly string[]): ParentListing | null {
    const { columns, download } = this.#file.header;
    if (!download) return this.#parent;
    const item = columns.text(cells, 'item_number');
    if (this.#parent !== null && columns.text(this.#parent.cells, 'item_number') === item)
      return this.#parent;
    return { cells: [], key: `item:${item}`, action: 'list' };
  }

  #isVariation(cells: readonly string[]): boolean {
    const { columns, download } = this.#file.header;
    if (download) return columns.text(cells, 'variation_details') !== '';
    return columns.text(cells, 'relationship').toLowerCase() === 'variation';
  }

  #variationDetails(cells: readonly string[]): string {
    const { columns, download } = this.#file.header;
    return columns.text(cells, download ? 'variation_details' : 'relationship_details');
  }

  #badDetails(site: RowSite): FeedRow {
    const column = this.#file.header.columns.label('relationship_details');
    const value = this.#variationDetails(site.record.cells);
    const detail = { column, value, expected: 'Colour=Red|Size=S' };
    return feedRow(site, null, [rowMessage('variation_theme_mismatch', detail)]);
  }

  #secondHeader(site: RowSite): FeedRow[] {
    const rows = this.#release();
    this.#parent = null;
    const choice = this.#context.on_second_header ?? 'stop';
    if (choice === 'stop') {
      this.#stoppedAt = site.record.line_start;
      return [...rows, feedRow(site, null, [rowMessage('second_header')])];
    }
    if (choice === 'remap') {
      const header = readAuctionHeader(site.record.cells, this.#context.delimiter ?? ',');
      this.#file = { ...this.#file, header };
    }
    const message = SECOND_HEADER_MESSAGES[choice];
    return [...rows, ignored(site, rowMessage('second_header', { severity: 'warning', message }))];
  }

  #notRead(site: RowSite, line: number): FeedRow {
    const message = `Not read: a second header row stands in line ${line}, so its meaning is uncertain.`;
    return feedRow(site, null, [rowMessage('second_header', { message })]);
  }

  /** Hands a row on at once, or behind the listing that is held. */
  #behind(row: FeedRow): FeedRow[] {
    if (this.#held === null) return [row];
    this.#held.behind.push(row);
    return this.#held.behind.length < BEHIND_MAX ? [] : this.#release();
  }

  /** The held listing without variations, as a product of its own, and what waited behind it. */
  #release(): FeedRow[] {
    if (this.#held === null) return [];
    const { site, behind } = this.#held;
    this.#held = null;
    return [this.#ownRow(site), ...behind];
  }

  /** A listing that announces variations of which none follow cannot be sold as it is. */
  #ownRow(site: RowSite): FeedRow {
    const row = listingRow(this.#file, site);
    const { columns } = this.#file.header;
    const announced = columns.text(site.record.cells, 'relationship_details') !== '';
    if (!announced || row.patch === null || row.role === 'deactivate') return row;
    return { ...row, role: 'staged', messages: [...row.messages, rowMessage('needs_variant_details')] };
  }
}

const SECOND_HEADER_MESSAGES = {
  keep: 'A second header row stands here; the rows after it were read under the first one, as chosen.',
  remap: 'A second header row stands here; the rows after it were read under it, as chosen.',
} as const;

function ignored(site: RowSite, message: RowMessage): FeedRow {
  return feedRow(site, null, [message], { role: 'ignored' });
}
