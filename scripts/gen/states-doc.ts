import type { Machine } from '../../src/kernel/machine.ts';
import type { ModuleDef } from '../../src/kernel/route.ts';
import { RUN_STATUSES, TERMINAL_STATUSES } from '../../src/modules/products/domain/feed-run/run.ts';
import { CURATION_STATES } from '../../src/modules/products/domain/product.ts';
import { PRODUCT_STATUSES } from '../../src/modules/products/domain/row.ts';
import { code, page, table } from './markdown.ts';

const RUN = table(
  ['status', 'ends the run'],
  RUN_STATUSES.map((status) => [code(status), TERMINAL_STATUSES.includes(status) ? 'yes, for good' : 'no']),
);

const list = (values: readonly string[]): string => values.map(code).join(', ');

/** A list of states, shortened when it holds all states or only the states of origin. */
function states(machine: Machine, values: readonly string[]): string {
  return values.length === machine.states.length ? 'any' : list(values);
}

function machineSection(machine: Machine): string {
  const rows = machine.rows.map(({ event, from, to, by, guard, emits }) => [
    code(event),
    from.length === 0 ? '–' : states(machine, from),
    states(machine, to),
    by,
    guard ?? '',
    list(emits),
  ]);
  return (
    `## ${machine.title}\n\nStates: ${list(machine.states)}. Nothing leaves: ${list(machine.terminal) || 'none'}.\n\n` +
    table(['event', 'from', 'to', 'by', 'guard', 'emits'], rows)
  );
}

/** docs/states.md: the states of each object and the moves between them. */
export function statesDoc(modules: readonly ModuleDef[]): string {
  return page(
    'States',
    `## Feed run\n\n${RUN}`,
    `## Product\n\nStatus, the seller's: ${list(PRODUCT_STATUSES)}.\n\nCuration, the marketplace's: ${list(CURATION_STATES)}.`,
    ...modules.flatMap(({ machines = [] }) => machines).map(machineSection),
  );
}
