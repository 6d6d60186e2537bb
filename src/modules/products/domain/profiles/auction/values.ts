/** Reads the codes and words of an auction-site file. Source: docs/design/feeds-and-imports.md#auction-files. */
import type { Condition } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { lookup } from '../cell.ts';
import type { Reporter } from '../field-readers.ts';
import type { OptionValue } from '../file-key.ts';

/** Condition ids. An id of a graded or pre-owned item gets the nearest condition of the marketplace. */
const CONDITION_IDS: Readonly<Record<string, Condition>> = {
  '1000': 'new',
  '1500': 'new_open_box',
  '1750': 'new_open_box',
  '2000': 'refurbished',
  '2010': 'refurbished',
  '2020': 'refurbished',
  '2030': 'refurbished',
  '2500': 'refurbished',
  '2750': 'used_like_new',
  '2990': 'used_very_good',
  '3000': 'used_good',
  '3010': 'used_acceptable',
  '4000': 'used_very_good',
  '5000': 'used_good',
  '6000': 'used_acceptable',
  '7000': 'for_parts',
};

/** In a file whose data are shifted by one column, these ids are in the category column. */
export const CONDITION_CODES: ReadonlySet<string> = new Set(Object.keys(CONDITION_IDS));

/** The words of templates and of the download of active listings. The first matching pattern counts. */
const CONDITION_WORDS: readonly (readonly [pattern: RegExp, condition: Condition])[] = [
  [/for parts|not working/, 'for_parts'],
  [/refurbished/, 'refurbished'],
  [/open box|new other|new \(other\)|new with defects|new without/, 'new_open_box'],
  [/like new|graded/, 'used_like_new'],
  [/very good|excellent/, 'used_very_good'],
  [/acceptable|fair/, 'used_acceptable'],
  [/^new\b|brand new/, 'new'],
  [/used|pre-?owned|good/, 'used_good'],
];

/** Reads a condition id (`3000`, `3000-Used`) or a word. `undefined` keeps the product's condition. */
export function readAuctionCondition(text: string, { column, messages }: Reporter): Condition | undefined {
  if (text === '') return undefined;
  const id = /^(\d{4})\b/.exec(text)?.[1];
  const word = text.toLowerCase().slice(0, 80);
  const condition =
    id === undefined ? CONDITION_WORDS.find(([known]) => known.test(word))?.[1] : lookup(CONDITION_IDS, id);
  if (condition === undefined) {
    const expected = Object.keys(CONDITION_IDS).join(', ');
    messages.push(rowMessage('enum_invalid', { column, value: text, expected, severity: 'warning' }));
  }
  return condition;
}

/** What a row does. A row without an action (`none`) changes the product with the row's SKU. */
export type AuctionAction = 'list' | 'revise' | 'draft' | 'end' | 'ignore' | 'none' | 'unknown';

const ACTIONS: Readonly<Record<string, AuctionAction>> = {
  '': 'none',
  add: 'list',
  relist: 'list',
  revise: 'revise',
  draft: 'draft',
  end: 'end',
  delete: 'end',
  status: 'ignore',
  verifyadd: 'ignore',
};

export function readAction(text: string): AuctionAction {
  return lookup(ACTIONS, text.toLowerCase().replace(/\s/g, '')) ?? 'unknown';
}

/** Whether a listing is an auction, which sells to the highest bidder. */
export function isAuctionFormat(text: string): boolean {
  return /^(?:auction|chinese|auktion)/i.test(text);
}

/** Reads the options of a variation: `Colour=Red|Size=S`, or `[Colour:Red|Size:S]` in downloads. `null` if invalid. */
export function readVariationDetails(text: string): readonly OptionValue[] | null {
  const options: OptionValue[] = [];
  for (const part of text.replace(/^\[|\]$/g, '').split('|')) {
    const match = /^([^=:]+)[=:](.*)$/s.exec(part.trim());
    const name = match?.[1]?.trim() ?? '';
    const value = match?.[2]?.trim() ?? '';
    if (name === '' || value === '' || options.some((option) => option.name === name)) return null;
    options.push({ name, value });
  }
  return options;
}
