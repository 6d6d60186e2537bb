/**
 * Reads the header of an auction-site file. It has one of four vocabularies: File Exchange, draft template, Seller
 * Hub, and the download of active listings. Source: docs/design/feeds-and-imports.md#auction-files.
 */
import { cleanCell, normaliseHeader } from '../cell.ts';
import { type Columns, type ColumnTable, columnsAt, fieldPositions } from '../columns.ts';
import type { LabelSources } from '../file-labels.ts';
import type { DecimalMark } from '../read-number.ts';

/** The names in all vocabularies, without the action column: {@link isActionName} finds that one. */
const AUCTION_COLUMNS = {
  sku: ['customlabel', 'custom label (sku)', 'custom label'],
  category: ['category', 'category id', 'ebay category 1 number'],
  category_name: ['ebay category 1 name', 'category name'],
  title: ['title'],
  subtitle: ['subtitle'],
  condition: ['conditionid', 'condition id', 'condition'],
  condition_note: ['conditiondescription', 'condition description'],
  description: ['description'],
  format: ['format'],
  price: ['startprice', 'price', 'start price'],
  buy_it_now: ['buyitnowprice', 'buy it now price', 'auction buy it now price'],
  current_price: ['current price'],
  quantity: ['quantity', 'available quantity'],
  pictures: ['picurl', 'item photo url', 'picture url'],
  upc: ['product:upc', 'p:upc', 'upc'],
  ean: ['product:ean', 'p:ean', 'ean'],
  isbn: ['product:isbn', 'p:isbn', 'isbn'],
  brand: ['product:brand', 'p:brand', 'c:brand', 'brand', 'c:marke'],
  manufacturer: ['c:manufacturer', 'manufacturer', 'c:hersteller'],
  mpn: ['product:mpn', 'p:mpn', 'c:mpn', 'mpn', 'c:herstellernummer'],
  epid: ['product:epid', 'p:epid', 'ebay product id(epid)', 'ebay product id (epid)', 'epid'],
  relationship: ['relationship'],
  relationship_details: ['relationshipdetails', 'relationship details'],
  item_number: ['item number', 'itemid', 'item id'],
  variation_details: ['variation details'],
  currency: ['currency'],
} as const satisfies ColumnTable<string>;
export type AuctionField = 'action' | keyof typeof AUCTION_COLUMNS;

export const AUCTION_LABELS: LabelSources<AuctionField> = {
  external_key: ['item_number', 'title'],
  brand: ['brand', 'manufacturer'],
  category: ['category', 'category_name'],
  currency: ['currency', 'action'],
  price_minor: ['current_price', 'price', 'buy_it_now'],
  status: ['action'],
  images: ['pictures'],
  variation: ['relationship_details', 'variation_details'],
  code: ['upc', 'ean', 'isbn'],
};

const NAMES: ReadonlySet<string> = new Set(Object.values(AUCTION_COLUMNS).flat());

/** Known columns that are not about the product: options of the site, shipping, payment and returns. */
const NOT_READ =
  /^(?:storecategory2?|store category.*|picturegallery|gallerytype|videoid|duration|best ?offer.*|minimum ?best ?offer.*|minimumbestofferprice|immediate ?pay ?required|location|postalcode|country|shipping.*|dispatchtimemax|max dispatch time|schedule ?time|paypal.*|payment.*|dominantratetable|promotional.*|returns?.*|refundoption|additionaldetails|ebaynotes|lotsize|reserveprice|reserve price|category2|secondary category.*|ebay category 2.*|siteid|site|listing site|sold quantity|watchers|bids|start date|end date|auction reserve price|ebay message.*|customlabel2|useproductdetails|itemcondition.*|product:includepreffereddefaults|product:includestockphotourl|product:returnsearchresultsonduplicates|vat%|buyer requirements.*|hitcounter|privateauction|thumbnail.*|skype.*|variation.*|custom bundle|bundle description|regular price|markdown.*|price override|promoted.*|ad rate.*)$/i;

/** `C:` item specifics, `CD:`/`CDA:` condition descriptors, `P:`/`Product:` product data. */
const PREFIXED = /^(?:c|cd|cda|p|product):/;

/** Whether the profile knows a normalised header cell. It does not read all columns that it knows. */
export function isAuctionName(name: string): boolean {
  return isActionName(name) || NAMES.has(name) || PREFIXED.test(name) || NOT_READ.test(name);
}

export interface AuctionHeader {
  readonly cells: readonly string[];
  readonly columns: Columns<AuctionField>;
  /** The positions of the action columns. A file can have several. */
  readonly actions: readonly number[];
  /** The item specifics: position → name of the attribute. */
  readonly specifics: readonly (readonly [index: number, attribute: string])[];
  /** ISO 4217: the currency in the header cell of the action column, or `null`. */
  readonly currency: string | null;
  readonly decimalMark: DecimalMark;
  /** Whether this is the download of active listings, which has no action column. */
  readonly download: boolean;
}

/** The files of these sites have decimal commas, even with a comma as the delimiter. */
const COMMA_SITES =
  /^(?:germany|austria|france|italy|spain|netherlands|belgium_.*|poland|de|at|fr|it|es|nl|be.*|pl)$/;

export function readAuctionHeader(cells: readonly string[], delimiter: string): AuctionHeader {
  const names = cells.map(normaliseHeader);
  const at: Map<AuctionField, number[]> = new Map(fieldPositions(cells, AUCTION_COLUMNS));
  const actions = names.flatMap((name, index) => (isActionName(name) ? [index] : []));
  if (actions.length > 0) at.set('action', actions);
  const columns = columnsAt(cells, at);
  const settings = actionSettings(names[actions[0] ?? -1] ?? '');
  const download = actions.length === 0;
  const comma = delimiter === ';' || COMMA_SITES.test(settings.get('siteid') ?? '');
  return {
    cells,
    columns,
    actions,
    specifics: specificsOf(cells, columns, !download && names.includes('custom label (sku)')),
    currency: settings.get('currency')?.toUpperCase() ?? null,
    decimalMark: comma ? ',' : '.',
    download,
  };
}

function isActionName(name: string): boolean {
  return name === 'action' || name.startsWith('action(');
}

/** Reads `action(siteid=us|country=us|currency=usd|…)` as key → value, all in lower case. */
function actionSettings(name: string): ReadonlyMap<string, string> {
  const inner = /^action\((.*)\)$/.exec(name)?.[1] ?? '';
  const pairs = inner.split('|').map((pair) => pair.split('=', 2).map((part) => part.trim()));
  return new Map(pairs.flatMap(([key, value]) => (key && value ? [[key, value] as const] : [])));
}

/**
 * The columns that become attributes.
 *
 * @param bareNames whether unknown columns without a prefix are attributes too
 */
function specificsOf(
  header: readonly string[],
  columns: Columns<AuctionField>,
  bareNames: boolean,
): (readonly [number, string])[] {
  const found: (readonly [number, string])[] = [];
  for (const index of columns.others) {
    const cell = cleanCell(cleanCell(header[index]).replace(/^\*/, ''));
    const prefixed = /^(?:c|cd|cda):\s*(.+?)(?:\s*-?\s*\(id:\s*\d+\))?$/i.exec(cell);
    if (prefixed?.[1] !== undefined) found.push([index, prefixed[1]]);
    else if (bareNames && cell !== '' && !isAuctionName(normaliseHeader(cell))) found.push([index, cell]);
  }
  return found;
}

const HEADER_SHARE = 0.7;
/** The first three cells already show that most data rows are not headers. */
const HEADER_PROBE = 3;

/** Whether a record is a header row: the profile knows at least 70 % of its cells. */
export function isAuctionHeaderRow(cells: readonly string[]): boolean {
  let filled = 0;
  let known = 0;
  for (const cell of cells) {
    if (cleanCell(cell) === '') continue;
    filled += 1;
    if (cell.length <= 200 && isAuctionName(normaliseHeader(cell))) known += 1;
    if (filled === HEADER_PROBE && known < HEADER_PROBE - 1) return false;
  }
  return filled >= HEADER_PROBE && known >= filled * HEADER_SHARE;
}

/** The vocabulary of a header. */
export function auctionGeneration(header: readonly string[]): string {
  const names = new Set(header.map(normaliseHeader));
  if (![...names].some(isActionName)) return 'active_listings_download';
  if (!names.has('custom label (sku)')) return 'file_exchange';
  const draft = [...names].some((name) => name.startsWith('action(')) || names.has('price');
  return draft ? 'draft_template' : 'seller_hub';
}
