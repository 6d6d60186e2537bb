/**
 * Finds contact data and card numbers in texts of conversations. Source: docs/design/conversations.md#contact-data.
 */
import { findPhoneNumbersInText } from 'libphonenumber-js/min';
import { LinkifyIt } from 'linkify-it';
import { findCards } from './find-cards.ts';
import { type FoldedText, foldCharacters } from './folded-text.ts';

export type ContactKind = 'email' | 'url' | 'phone' | 'payment_card';

/** Part of a text, in UTF-16 units. */
export interface ContactSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: ContactKind;
}
const spanOf = ({ 0: found, index }: RegExpExecArray, kind: ContactKind): ContactSpan => ({
  start: index,
  end: index + found.length,
  kind,
});

/** What may stand in the text of a conversation. */
export interface Known {
  /** Numbers, ids and names of what the conversation is about; compared without blanks, dashes and case. */
  readonly strings: readonly string[];
  /** Hosts to which links may lead, also to names below them. */
  readonly hosts: readonly string[];
}

/**
 * Endings of shops' hosts beside those that the library knows. Words that often begin a sentence are not among them,
 * because many people leave out the blank between two sentences.
 */
const SHOP_ENDINGS = [
  ...[
    'app',
    'blog',
    'boutique',
    'click',
    'cloud',
    'club',
    'dev',
    'discount',
    'fashion',
    'gifts',
    'icu',
    'kiwi',
    'link',
    'live',
    'melbourne',
  ],
  ...[
    'mobi',
    'online',
    'page',
    'shopping',
    'site',
    'store',
    'studio',
    'sydney',
    'tech',
    'top',
    'vip',
    'website',
  ],
  'xyz',
];
/** With one of these endings also programs, files and clubs are named. Alone such a name is no host. */
const COMMON_ENDINGS = 'app|club|dev|online|tech';
/** Names without a path that are sizes, versions, or words without a blank after their sentence: `XL.fashion`. */
const NO_HOST = new RegExp(
  `^[^./:]+\\.(?:${COMMON_ENDINGS})$|^(?:[^./:]{1,3}|[^./:]*\\d[^./:]*)\\.(?:${SHOP_ENDINGS.join('|')})$`,
  'i',
);
const linkify = new LinkifyIt({ fuzzyLink: true }).tlds(SHOP_ENDINGS, true);
/** A sentence begins with a capital: `Ordered.Store it cool`. */
const SENTENCE = new RegExp(
  `\\.(?:${SHOP_ENDINGS.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('|')})$`,
);

const isAllowed = (url: string, hosts: readonly string[]): boolean => {
  // The host of `https://allowed@evil/` is evil.
  const name = URL.parse(url)?.hostname ?? '';
  return hosts.some((host) => name === host || name.endsWith(`.${host}`));
};

/** What follows a host that is no host, but the name of a user at one. */
const AT_HOST = /[^\s/?#]*@\S*/y;

/** No name of a top level begins with a digit: `10@5.00` and `2@10.50ea` are prices. */
const AT_PRICE = /@\d+\.\d[^.@]*$/;

function linksIn(text: string, hosts: readonly string[]): ContactSpan[] {
  return (linkify.match(text) ?? []).flatMap(({ schema, index, lastIndex, url }): ContactSpan[] => {
    if (schema === 'mailto:')
      return AT_PRICE.test(url) ? [] : [{ start: index, end: lastIndex, kind: 'email' }];
    const found = text.slice(index, lastIndex);
    if (schema === '' && (SENTENCE.test(found) || (NO_HOST.test(found) && text[lastIndex] !== '@')))
      return [];
    AT_HOST.lastIndex = lastIndex;
    const [rest = ''] = AT_HOST.exec(text) ?? [];
    const end = lastIndex + rest.length;
    return isAllowed(`${url}${rest}`, hosts) ? [] : [{ start: index, end, kind: 'url' }];
  });
}

/**
 * Beside these characters the library finds no bare host or address: `shop.com:8080`, `shop.com_`, `a@b.com;c@d.com`. A
 * sender who wants to be found puts them there.
 */
const BESIDE = /(?!:\/\/)[^\p{L}\p{N}\s.@/?#=&%+-]|[-/](?![\p{L}\p{N}/])|(?<![\p{L}\p{N}:/])[-/](?!\/)/gu;

/** What stands before a host like a scheme, and is none that the library knows: `hxxp://`, `https:/`. */
const SCHEME = /(?<![\p{L}\p{N}+.-])(?!(?:https?|ftp):\/\/)[a-z][a-z0-9+.-]*:\/+/giu;

const blanks = ({ length }: string): string => ' '.repeat(length);

/** Who writes `www.` means a link, whatever the ending is. */
const WWW = /(?<![\p{L}\p{N}.@-])www\.[\p{L}\p{N}][\p{L}\p{N}.-]*(?<![.-])/giu;

const findNamedLinks = (text: string, hosts: readonly string[]): ContactSpan[] =>
  [...text.matchAll(WWW)].flatMap((match) =>
    isAllowed(`https://${match[0]}`, hosts) ? [] : [spanOf(match, 'url')],
  );

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
/** Addresses of a home network (RFC 1918, RFC 3927), as sellers of routers and cameras write them. */
const AT_HOME = '(?:10|127|192\\.168|169\\.254|172\\.(?:1[6-9]|2\\d|3[01]))\\.';
/** An IPv4 address with a port or a path; `/8` behind it is the length of a network. */
const ADDRESS = new RegExp(
  `(?<![\\p{L}\\p{N}.@/-])(?!${AT_HOME})(?:${OCTET}\\.){3}${OCTET}(?=[:/])(?::\\d{2,5}(?!\\d))?(?:/(?!\\d{1,2}(?![\\p{L}\\p{N}/]))\\S*(?<![,.;:!?)"'])|(?<=:\\d+))`,
  'gu',
);
const findNumberedHosts = (text: string): ContactSpan[] =>
  [...text.matchAll(ADDRESS)].map((match) => spanOf(match, 'url'));

const findLinks = (text: string, hosts: readonly string[]): ContactSpan[] => [
  ...linksIn(text, hosts),
  ...findNamedLinks(text, hosts),
  ...findNumberedHosts(text),
  ...linksIn(text.replaceAll(SCHEME, blanks).replaceAll(BESIDE, blanks), hosts),
];

/** Most characters before the `@` of an address (RFC 5321, 4.5.3.1.1). */
const LOCAL_CHARS_MAX = 64;
const LOCAL = /[\p{L}\p{N}._%+'-]+$/u;
const DOMAIN = /(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/uy;

/** Addresses with letters of any script before the `@` (RFC 6531), which the library does not find. */
function findAddresses(text: string): ContactSpan[] {
  const found: ContactSpan[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const [local = ''] = LOCAL.exec(text.slice(Math.max(0, at - LOCAL_CHARS_MAX), at)) ?? [];
    DOMAIN.lastIndex = at + 1;
    if (local !== '' && DOMAIN.test(text))
      found.push({ start: at - local.length, end: DOMAIN.lastIndex, kind: 'email' });
  }
  return found;
}

const DIGIT = /\d/;
/** The shortest Australian numbers, those of pagers, have five digits. Most names have fewer, and need no search. */
const PHONE_DIGITS_MIN = 5;
const MAY_BE_PHONE = new RegExp(`(?:\\d\\D*){${PHONE_DIGITS_MIN}}`);

/**
 * `00` is dialled in many countries for what `+` means, and the library reads it as Australia does. Other codes than 61
 * need a blank behind them: without it the digits may be a GTIN of 14 digits.
 */
const DIALLED_PLUS = /(?<![\p{L}\p{N}#-])00(?!11)(?=[ -]?(?:61|[1-9]\d{0,2}[ -]))/gu;

/** The library also finds telephone numbers in the digits of a longer number, such as a GTIN after a comma. */
const phonesIn = (text: string): ContactSpan[] =>
  findPhoneNumbersInText(text.replaceAll(DIALLED_PLUS, ' +'), 'AU').flatMap(({ startsAt, endsAt: end }) => {
    const start = text[startsAt] === '0' && text[startsAt - 1] === '0' ? startsAt - 1 : startsAt;
    const isPart = DIGIT.test(text[start - 1] ?? '') || DIGIT.test(text[end] ?? '');
    return isPart ? [] : [{ start, end, kind: 'phone' }];
  });

/** A sign or a line end, with which the library does not read on. */
const SIGN = '(?:[_*|~\\u00b7\\u2022]|[\\r\\n]+)';
/** Any other sign, without blanks: lists of numbers have blanks beside it. */
const SIGN_WITHOUT_BLANKS = '[^\\p{L}\\p{N}\\s./-]';
const BETWEEN_GROUPS = `(?:[ ()-]{0,3}${SIGN}[ (]{0,2}|[ )(-]{1,3})`;
/** Of mobiles and numbers with the country code. Measures and lists seldom have such groups. */
const BETWEEN_CLEAR_GROUPS = `(?:${BETWEEN_GROUPS}|${SIGN_WITHOUT_BLANKS}|[,:] )`;
const AUSTRALIA = '(?:\\+|00|0011[ -]?)61(?:[ -]?\\(0\\)[ -]?)?';
/** How many digits the groups of a number have, as people write them; in lists of goods they have others. */
const GROUPS: readonly (readonly [begin: string, between: string, digits: readonly number[]])[] = [
  ['0(?=[45])', BETWEEN_CLEAR_GROUPS, [3, 3, 3]],
  ['0(?=[2378])', BETWEEN_GROUPS, [1, 4, 4]],
  ['0', BETWEEN_GROUPS, [1, 2, 2, 2, 2]],
  ['0', BETWEEN_GROUPS, Array<number>(10).fill(1).with(0, 0)],
  [AUSTRALIA, BETWEEN_CLEAR_GROUPS, [0, 3, 3, 3]],
  [AUSTRALIA, BETWEEN_CLEAR_GROUPS, [3, 3, 3]],
  [AUSTRALIA, BETWEEN_CLEAR_GROUPS, [0, 1, 4, 4]],
  [AUSTRALIA, BETWEEN_CLEAR_GROUPS, [1, 4, 4]],
];
const GROUPED = GROUPS.map(([begin, between, [first = 0, ...others]]) => {
  const rest = others.map((digits) => `${between}\\d{${digits}}`).join('');
  // The name of a picture goes on: `img_0412_345_679.jpg`.
  return new RegExp(`(?<![\\d_])\\(?${begin}\\d{${first}}${rest}(?![\\d_])`, 'gu');
});
const HAS_SIGN = new RegExp(`${SIGN}|${SIGN_WITHOUT_BLANKS}`, 'u');

/** Whether a number with commas, colons or semicolons goes on as a list does: `0412,345,679,680`. */
const isInList = ({ 0: found, index, input }: RegExpExecArray): boolean =>
  /[,:;]/.test(found) &&
  (/\d[,:;]$/.test(input.slice(Math.max(0, index - 2), index)) ||
    /^[,:;]\d/.test(input.slice(index + found.length)));

/** Five pairs that ascend are sizes: `02 | 04 | 06 | 08 | 10`. Three numbers with `×` are measures, also with `*` behind a pair. */
function isGoods(found: string): boolean {
  const groups = found.match(/\d+/g) ?? [];
  const isPair = (group: string): boolean => group.length === 2;
  const ascends = groups.every((group, at) => at === 0 || Number(group) > Number(groups[at - 1]));
  return (
    (groups.every(isPair) && ascends) ||
    (groups.length === 3 && (/["\u00d7]/.test(found) || (found.includes('*') && isPair(groups[0] ?? ''))))
  );
}

/** A number without what stands between its groups. */
const compacted = (found: string): string =>
  found
    .replace('(0)', '')
    .replace(/^\(?00(?:11[ -]?)?61/, '+61')
    .replaceAll(/(?!^)\+|[^\d+]/g, '');

/** Numbers between whose groups stand signs or line ends. */
const groupedPhonesIn = (text: string): ContactSpan[] =>
  GROUPED.flatMap((groups) => [...text.matchAll(groups)])
    .filter((match) => HAS_SIGN.test(match[0]) && !isGoods(match[0]) && !isInList(match))
    .filter(([found]) => phonesIn(compacted(found)).length > 0)
    .map((match) => spanOf(match, 'phone'));

const findPhones = (text: string): ContactSpan[] =>
  MAY_BE_PHONE.test(text) ? [...phonesIn(text), ...groupedPhonesIn(text)] : [];

const UNCOUNTED = /[\s-]/;

/** The places of known strings in a folded text. */
function placesOf(folded: string, strings: readonly string[]): { start: number; end: number }[] {
  const at: number[] = [];
  let compact = '';
  for (let unit = 0; unit < folded.length; unit += 1) {
    const character = folded[unit] ?? '';
    if (UNCOUNTED.test(character)) continue;
    at.push(unit);
    compact += character.toUpperCase().slice(0, 1);
  }
  const wanted = strings.map((known) => foldCharacters(known).text.replaceAll(/[\s-]/g, '').toUpperCase());
  return [...new Set(wanted)].flatMap((known) => {
    const places: { start: number; end: number }[] = [];
    for (let found = known === '' ? -1 : compact.indexOf(known); found >= 0; ) {
      places.push({ start: at[found] ?? 0, end: (at[found + known.length - 1] ?? 0) + 1 });
      found = compact.indexOf(known, found + 1);
    }
    return places;
  });
}

/** Findings that overlap are one, of the kind of the first and longest. */
function withoutOverlaps(found: readonly ContactSpan[]): ContactSpan[] {
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: ContactSpan[] = [];
  for (const span of sorted) {
    const last = kept.at(-1);
    if (last === undefined || span.start >= last.end) kept.push(span);
    else kept[kept.length - 1] = { ...last, end: Math.max(last.end, span.end) };
  }
  return kept;
}

const inOriginal = ({ from, to }: FoldedText, { start, end, kind }: ContactSpan): ContactSpan => ({
  start: from[start] ?? 0,
  end: to[end - 1] ?? 0,
  kind,
});

/**
 * The contact data and card numbers of a text, in their order. It throws for no text.
 *
 * @param kinds what is asked for; default: all
 */
export function inspect(
  text: string,
  { strings, hosts }: Known,
  kinds?: readonly ContactKind[],
): ContactSpan[] {
  const folded = foldCharacters(text);
  const cards = findCards(folded.text).map((span) => ({ ...span, kind: 'payment_card' as const }));
  const found = [
    ...findLinks(folded.text, hosts),
    ...findAddresses(folded.text),
    ...cards,
    ...findPhones(folded.text),
  ].filter(({ kind }) => kinds?.includes(kind) ?? true);
  if (found.length === 0) return [];
  const places = placesOf(folded.text, strings);
  const unknown = found.filter(
    ({ start, end }) => !places.some((place) => place.start <= start && end <= place.end),
  );
  return withoutOverlaps(unknown).map((span) => inOriginal(folded, span));
}
