import { reads, writes } from '../../../platform/rest/access.ts';

const plan = { plan: 'pricing' } as const;
/** Reads and writes of the area need its plan feature; the module needs its account flag. */
export const readsPricing = { ...reads('growth'), ...plan };
export const writesPricing = { ...writes('growth'), ...plan };
