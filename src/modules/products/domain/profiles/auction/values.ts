/** Codes and words of an auction-site file. Source: docs/design/feeds-and-imports.md#auction-files. */
import type { Condition } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { lookup } from '../cell.ts';
import type { CellSite } from '../field-readers.ts';
import type { OptionValue } from '../file-key.ts';

/** Condition ids; graded and pre-owned ones become the nearest grade that exists here. */
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

/** Ids that stand where a category id should in a file whose data are shifted by one column. */
export const CONDITION_CODES: ReadonlySet<string> = new Set(Object.keys(CONDITION_IDS));

/** Words of templates and of the active-listings download, tried in order. */
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

/** Reads a condition id (`3000`, `3000-Used`) or a word; `undefined` leaves the condition as it is. */
export function readAuctionCondition(text: string, { column, messages }: CellSite): Condition | undefined {
  if (text === '') return undefined;
  const id = /^(\d{4})\b/.exec(text)?.[1];
  const word = text.toLowerCase().slice(0, 80);
  const condition =
    id === undefined ? CONDITION_WORDS.find(([known]) => known.test(word))?.[1] : lookup(CONDITION_IDS, id);
  if (condition === undefined) {
    messages.push(rowMessage('enum_invalid', { column, value: text, severity: 'warning' }));
  }
  return condition;
}

/** What a row does; a blank cell (`none`) revises the product of the row's SKU. */
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

/** True for listings that are sold to the highest bidder. */
export function isAuctionFormat(text: string): boolean {
  return /^(?:auction|chinese|auktion)/i.test(text);
}

/** The options of a variation row: `Colour=Red|Size=S`, in downloads also `[Colour:Red|Size:S]`. */
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
