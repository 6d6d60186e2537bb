/** Which units of which lines an action is about. */
import type { Order, OrderLine } from './order.ts';
import { Refusal } from './refusal.ts';

/** As a body names them; without a quantity all open units of the line. */
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

function lineOf(order: Order, { order_line_id }: LineChoice, index: number): OrderLine {
  const line = order.lines.find((one) => one.order_line_id === order_line_id);
  const at = ['lines', index, 'order_line_id'];
  if (line === undefined)
    throw new Refusal('line_not_found', 'The order has no such line.', { at, input: order_line_id });
  if (line.kind === 'shipping')
    throw new Refusal('not_an_item', 'The line is no goods: it has no quantities.', {
      at,
      input: order_line_id,
    });
  return line;
}

/**
 * The chosen units, or all that are open where nothing was chosen.
 *
 * @param open units of a line that the action may take
 * @throws Refusal `line_not_found`, `duplicate_line`, `not_an_item` for what was sent; `quantity_exceeds_open`
 */
export function pickLines(
  order: Order,
  choices: readonly LineChoice[] | undefined,
  open: (line: OrderLine) => number,
): PickedLine[] {
  if (choices === undefined) {
    return itemsOf(order).flatMap((line) => (open(line) > 0 ? [{ line, quantity: open(line) }] : []));
  }
  const seen = new Set<string>();
  return choices.map((choice, index) => {
    const line = lineOf(order, choice, index);
    if (seen.has(line.order_line_id))
      throw new Refusal('duplicate_line', 'The line is named twice; send it once.', {
        at: ['lines', index, 'order_line_id'],
        input: line.order_line_id,
      });
    seen.add(line.order_line_id);
    const available = open(line);
    const quantity = choice.quantity ?? available;
    if (quantity > available || quantity < 1)
      throw new Refusal('quantity_exceeds_open', 'The line has fewer open units than that.', {
        facts: { order_line_id: line.order_line_id, requested: choice.quantity ?? null, open: available },
      });
    return { line, quantity };
  });
}

/** For the history. */
export const pickedFacts = (picked: readonly PickedLine[]): object[] =>
  picked.map(({ line, quantity }) => ({ order_line_id: line.order_line_id, quantity }));
