/** Works out the units of each line that an action is about. */
import type { Order, OrderLine } from './order.ts';
import { Refusal } from './refusal.ts';

/** A line in a body. Without a quantity it stands for all its open units. */
export interface LineChoice {
  readonly order_line_id: string;
  readonly quantity?: number | undefined;
}

export interface PickedLine {
  readonly line: OrderLine;
  /** Above zero. */
  readonly quantity: number;
}

export const itemsOf = ({ lines }: Order): OrderLine[] => lines.filter(({ kind }) => kind === 'item');

/**
 * Finds the lines that a body names, each once.
 *
 * @param what the object that has the lines, for the message: the order or the return
 * @returns a function of the line's id and its place in the body
 * @throws Refusal `line_not_found`, `duplicate_line`
 */
export function linesByName<L extends { readonly order_line_id: string }>(
  lines: readonly L[],
  what: 'order' | 'return',
): (id: string, index: number) => L {
  const seen = new Set<string>();
  return (id, index) => {
    const where = { at: ['lines', index, 'order_line_id'], input: id };
    const line = lines.find(({ order_line_id }) => order_line_id === id);
    if (line === undefined)
      throw new Refusal('line_not_found', `The ${what} has no line with this id.`, where);
    if (seen.has(id)) throw new Refusal('duplicate_line', 'The line occurs twice. Send it once.', where);
    seen.add(id);
    return line;
  };
}

export const suppliedRefusal = (): Refusal =>
  new Refusal(
    'supplied_by_dropship',
    'A supplier sends these units. Follow them at /dropship/orders, or take them over there before they are sent.',
  );

/**
 * The chosen units; without a choice, all open units.
 *
 * @param open units of a line that the action may take
 * @param supplied units of a line that it could take if no supplier sent them
 * @throws Refusal `line_not_found`, `duplicate_line`, `not_an_item`, `quantity_exceeds_open`, `supplied_by_dropship`
 */
export function pickLines(
  order: Order,
  choices: readonly LineChoice[] | undefined,
  open: (line: OrderLine) => number,
  supplied: (line: OrderLine) => number = () => 0,
): PickedLine[] {
  if (choices === undefined) {
    const picked = itemsOf(order).flatMap((line) => (open(line) > 0 ? [{ line, quantity: open(line) }] : []));
    if (picked.length === 0 && itemsOf(order).some((line) => supplied(line) > 0)) throw suppliedRefusal();
    return picked;
  }
  const lineOf = linesByName(order.lines, 'order');
  return choices.map((choice, index) => {
    const line = lineOf(choice.order_line_id, index);
    if (line.kind === 'shipping')
      throw new Refusal('not_an_item', 'This is a shipping line. Send item lines only.', {
        at: ['lines', index, 'order_line_id'],
        input: line.order_line_id,
      });
    const available = open(line);
    const quantity = choice.quantity ?? (available === 0 ? supplied(line) : available);
    if (quantity > available && quantity <= available + supplied(line)) throw suppliedRefusal();
    if (quantity > available || quantity < 1)
      throw new Refusal(
        'quantity_exceeds_open',
        'You asked for more units than are still open on the line.',
        {
          facts: { order_line_id: line.order_line_id, requested: choice.quantity ?? null, open: available },
        },
      );
    return { line, quantity };
  });
}

/** The units as facts of a history entry. */
export const pickedFacts = (picked: readonly PickedLine[]): object[] =>
  picked.map(({ line, quantity }) => ({ order_line_id: line.order_line_id, quantity }));
