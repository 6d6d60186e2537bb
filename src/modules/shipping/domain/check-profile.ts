/** Rules of a profile that a schema cannot express. */
import { isAuState } from '../../../kernel/australia/postcode.ts';
import type { FieldProblem } from '../../../kernel/errors.ts';
import { carrierOf, serviceOf } from './carriers.ts';
import { isTimeZone } from './dispatch-by.ts';
import type { PriceRule, ProfileContent, Zone, ZoneService } from './profile.ts';

type Path = readonly (string | number)[];
const problem = (loc: Path, type: string, msg: string, input: unknown): FieldProblem => ({
  loc,
  type,
  msg,
  input,
});

/** The bounds must rise, and only the last tier may have no bound. */
function tierProblems(bounds: readonly (bigint | number | null)[], at: Path, field: string): FieldProblem[] {
  return bounds.flatMap((bound, index) => {
    const loc = [...at, index, field];
    if (bound === null) {
      const msg = 'Only the last tier may be open.';
      return index === bounds.length - 1 ? [] : [problem(loc, 'tier_order', msg, null)];
    }
    const before = bounds[index - 1];
    if (before == null || bound > before) return [];
    return [problem(loc, 'tier_order', 'Each tier must reach further than the one before.', Number(bound))];
  });
}

function ruleProblems(rule: PriceRule, at: Path): FieldProblem[] {
  if (rule.kind === 'flat') return [];
  const [bounds, field] =
    rule.kind === 'weight_tiers'
      ? [rule.tiers.map(({ up_to_g }) => up_to_g), 'up_to_g']
      : [rule.tiers.map(({ up_to_minor }) => up_to_minor), 'up_to_minor'];
  return tierProblems(bounds, [...at, 'tiers'], field);
}

function serviceProblems(offer: ZoneService, at: Path): FieldProblem[] {
  const { carrier, service, transit_days_min, transit_days_max, price } = offer;
  const problems = ruleProblems(price, [...at, 'price']);
  const unknown = (field: string, many: string, code: string) =>
    problem([...at, field], `${field}_unknown`, `See GET /api/v1/shipping/${many} for the codes.`, code);
  if (carrierOf(carrier) === undefined) problems.push(unknown('carrier', 'carriers', carrier));
  else if (serviceOf(carrier, service) === undefined) problems.push(unknown('service', 'services', service));
  if (transit_days_max < transit_days_min) {
    const msg = 'The longest transit must not be shorter than the shortest.';
    problems.push(problem([...at, 'transit_days_max'], 'range_order', msg, transit_days_max));
  }
  return problems;
}

function zoneProblems(zone: Zone, at: Path): FieldProblem[] {
  const problems: FieldProblem[] = zone.states.flatMap((state, index) =>
    isAuState(state)
      ? []
      : [problem([...at, 'states', index], 'enum', 'Must be a state or territory of Australia.', state)],
  );
  for (const [index, { from, to }] of zone.postcodes.entries())
    if (to < from) {
      const msg = 'The last postcode must not be before the first.';
      problems.push(problem([...at, 'postcodes', index, 'to'], 'range_order', msg, to));
    }
  if (!zone.countries.includes('AU') && zone.states.length + zone.postcodes.length > 0) {
    const msg = 'States and postcodes are Australian: add AU to the countries.';
    problems.push(problem([...at, 'countries'], 'country_mismatch', msg, zone.countries));
  }
  const offers = zone.services.map(({ carrier, service }) => `${carrier}/${service}`);
  for (const [index, offer] of zone.services.entries()) {
    problems.push(...serviceProblems(offer, [...at, 'services', index]));
    if (offers.indexOf(`${offer.carrier}/${offer.service}`) < index) {
      const msg = 'The zone offers this service already.';
      problems.push(problem([...at, 'services', index, 'service'], 'duplicate', msg, offer.service));
    }
  }
  return problems;
}

const IANA = 'Must be an IANA name like Australia/Sydney.';

/** All problems of a profile, each with its field. */
export function profileProblems({ timezone, zones }: ProfileContent, at: Path): FieldProblem[] {
  const names = zones.map(({ name }) => name);
  return [
    ...(isTimeZone(timezone) ? [] : [problem([...at, 'timezone'], 'timezone_unknown', IANA, timezone)]),
    ...zones.flatMap((zone, index) => zoneProblems(zone, [...at, 'zones', index])),
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index
        ? [problem([...at, 'zones', index, 'name'], 'duplicate', 'Another zone has this name.', name)]
        : [],
    ),
  ];
}
