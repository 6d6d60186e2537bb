import { MONEY_PART } from './money-part.ts';
import { SHOP_PARTS } from './shop-parts.ts';
import type { Part } from './step.ts';
import { STORE_PART } from './store-part.ts';
import { SUPPLY_PART } from './supply-part.ts';
import { FAQ_PART, TALK_PART } from './talk-part.ts';
import { WORK_PART } from './work-part.ts';

/** All parts of the tour, in their order. */
export const PARTS: readonly Part[] = [
  ...[...SHOP_PARTS, FAQ_PART, SUPPLY_PART, STORE_PART],
  ...[MONEY_PART, TALK_PART, WORK_PART],
];

/** A part and all parts whose values it needs, in their order. */
export function withNeeded(name: string): readonly Part[] {
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined) return [];
  return [...(part.after === undefined ? [] : withNeeded(part.after)), part];
}
