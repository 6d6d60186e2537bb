/**
 * The content of a page, independent of PDF, PNG and ZPL. The unit is the dot of a label printer, an eighth of a
 * millimetre (203 dots an inch), so that bars are whole dots wide on every printer.
 */
import type { Direction } from './bidi.ts';
import type { Weight } from './fonts.ts';

export const DOTS_PER_MM = 8;

/** The role of a text in the document's structure, for screen readers. */
export type TextRole = 'H1' | 'P' | 'TH' | 'TD';

export interface TextItem {
  readonly kind: 'text';
  readonly x: number;
  /** Baseline. */
  readonly y: number;
  readonly text: string;
  readonly size: number;
  readonly weight: Weight;
  readonly role: TextRole;
  /** The number of its table row; all cells of a row have the same. */
  readonly row?: number;
  /** For a `TH`: it is the header of its row and not of its column. */
  readonly scope?: 'Row';
  readonly inverted?: boolean;
  /** The direction of the paragraph, where it has letters from right to left. */
  readonly base?: Direction;
}

export interface RectItem {
  readonly kind: 'rect';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A dashed line to cut along. */
export interface CutItem {
  readonly kind: 'cut';
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
}

export interface BarcodeItem {
  readonly kind: 'code128';
  readonly x: number;
  readonly y: number;
  readonly height: number;
  /** Width of the narrowest bar. */
  readonly module: number;
  readonly text: string;
}

export type Item = TextItem | RectItem | CutItem | BarcodeItem;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly items: readonly Item[];
}

/** DIN sizes, portrait. */
export const A6 = { width: 105 * DOTS_PER_MM, height: 148 * DOTS_PER_MM };
export const A4 = { width: 210 * DOTS_PER_MM, height: 297 * DOTS_PER_MM };
