/** The order of the areas in the description. */
import type { ModuleDef } from '../../../kernel/route.ts';
import { API_PREFIX } from '../../../kernel/route-path.ts';
import type { Json } from './document.ts';
import { eventsTag, sellerEvents } from './webhooks.ts';

/** The groups of areas. An area that is not listed belongs to the last group. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['auth', 'sellers', 'onboarding', 'kyc', 'seller-agreement'],
  Catalogue: ['products', 'pricing', 'channels', 'wholesale', 'dropship', 'sourcing', 'quality'],
  'Orders and shipping': [
    'orders',
    'shipping',
    'fulfillment',
    'messages',
    'customer_service',
    'reviews',
    'faqs',
  ],
  Money: ['financials', 'payouts', 'payments-payouts', 'fees', 'profitability'],
  'Insights and marketing': [
    'dashboard',
    'forecasting',
    'marketplace-intel',
    'customer-analytics',
    'search-insights',
    'marketing',
    'loyalty',
  ],
  Events: ['webhooks', 'notifications'],
  Account: ['billing'],
};
const LAST = 'Account';
/** The health of the process comes last. */
const LAST_MODULE = 'platform';

const groupOf = ({ name }: ModuleDef): string =>
  Object.entries(GROUPS).find(([, names]) => names.includes(name))?.[0] ?? LAST;

/** The areas with routes or events, by groups, each group in the order of the modules. */
function grouped(modules: readonly ModuleDef[]): [string, ModuleDef[]][] {
  const shown = modules.filter(({ routes, events }) => routes.length > 0 || (events ?? []).length > 0);
  const inOrder = [
    ...shown.filter(({ name }) => name !== LAST_MODULE),
    ...shown.filter(({ name }) => name === LAST_MODULE),
  ];
  return Object.keys(GROUPS)
    .map((name): [string, ModuleDef[]] => [name, inOrder.filter((module) => groupOf(module) === name)])
    .filter(([, members]) => members.length > 0);
}

function areaTag(module: ModuleDef): Json {
  const base = module.base === '' ? '' : ` Base path \`${API_PREFIX}${module.base}\`.`;
  const gated = module.accountGated ? ' Needs the account flag of the area.' : '';
  const beta = module.stage === 'beta' ? ' Beta: fields, states and events may be added without notice.' : '';
  return {
    name: module.title,
    description: `${module.summary}.${base}${gated}${beta}`,
    'x-module': module.name,
    'x-availability': module.availability,
  };
}

const eventsTags = (modules: readonly ModuleDef[]): ModuleDef[] =>
  modules.filter((module) => sellerEvents(module).length > 0);

/** One tag for each area with routes and one for its events. */
export function tagsOf(modules: readonly ModuleDef[]): Json[] {
  const areas = grouped(modules).flatMap(([, members]) => members);
  return [
    ...areas.filter(({ routes }) => routes.length > 0).map(areaTag),
    ...eventsTags(areas).map((module) => ({
      name: eventsTag(module),
      description: `What happens in the area ${module.title}.`,
      'x-module': module.name,
    })),
  ];
}

/** Groups of tags, for tools that show them. The events of all areas are one group. */
export function tagGroups(modules: readonly ModuleDef[]): Json[] {
  const groups = grouped(modules);
  const events = eventsTags(groups.flatMap(([, members]) => members)).map(eventsTag);
  return groups.map(([name, members]) => ({
    name,
    tags: [
      ...members.filter(({ routes }) => routes.length > 0).map(({ title }) => title),
      ...(name === 'Events' ? events : []),
    ],
  }));
}
