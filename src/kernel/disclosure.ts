/**
 * Rules of disclosure: which figures about few people are held back. Source: docs/design/computed-payloads.md#disclosure.
 */
import { inspect } from './contact-data/inspect-text.ts';

/** A search is shown if so many people or more have searched for it. */
export const SEARCHERS_MIN = 20;

const NOTHING_KNOWN = { strings: [], hosts: [] };
const LONG_NUMBER = /\p{Nd}{7,}/u;
const STREET_NUMBER = /^\p{Nd}{1,5}\p{L}?$/u;
const STREET_WORD =
  /^(?:street|st|road|rd|avenue|ave|av|lane|ln|drive|dr|court|crt|ct|place|pl|parade|pde|crescent|cres|cr|highway|hwy|terrace|tce|way|close|cl|boulevard|blvd|circuit|cct|grove|gr|esplanade|esp|square|sq)$/;
const POSTCODE = /^\p{Nd}{4}$/u;
/** Between the number and the word stand at most so many words of the name: "12 old south head road". */
const STREET_NAME_WORDS_MAX = 4;

/** Whether a text has a street number before a street word, and a postcode beside them. */
function hasAddress(text: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+/u);
  return words.some((word, number) => {
    const isNumbered =
      STREET_NUMBER.test(word) &&
      words.slice(number + 1, number + 2 + STREET_NAME_WORDS_MAX).some((one) => STREET_WORD.test(one));
    return isNumbered && words.some((one, index) => index !== number && POSTCODE.test(one));
  });
}

/**
 * Whether the text of a search may say who searched: it has an e-mail address, a long number, or an address.
 *
 * @param text in lower case
 */
export const namesSomebody = (text: string): boolean =>
  LONG_NUMBER.test(text.replaceAll(/[\s\p{Pd}]/gu, '')) ||
  hasAddress(text) ||
  inspect(text, NOTHING_KNOWN, ['email']).length > 0;
