/** Contests: what the seller says should not count. One mechanism for several areas. See docs/design/contests.md. */
import { defineModule, type ModuleDef } from '../../kernel/route.ts';
import { contestMachine } from './domain/contest-machine.ts';
import { contestEvents } from './events.ts';
import { type ContestArea, contestDecided } from './intake/decided.ts';

export { type Contested, factsOfOrder } from './actions/contests.ts';
export { eraseContests, withoutTexts } from './actions/erase.ts';
export { NO_FACTS } from './domain/facts.ts';
export type { ContestArea } from './intake/decided.ts';
export { contestRoute, contestRoutes } from './routes.ts';
export { CONTEST_EXAMPLE, Contest, toWireContest, type WireContest } from './schemas.ts';
export { newestContests } from './store.ts';

/** The module with the areas whose targets can be contested. Their routes are below the paths of the areas. */
export function createContestsModule(areas: readonly ContestArea[]): ModuleDef {
  return defineModule({
    name: 'contests',
    base: '',
    title: 'Contests',
    summary: 'Contests of ratings, feedback and figures',
    availability: 'available',
    ids: ['cst_'],
    machines: [contestMachine],
    routes: [],
    events: Object.values(contestEvents),
    marketplaceEvents: [contestDecided(areas)],
  });
}
