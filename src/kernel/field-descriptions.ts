/**
 * What a field means, by its name, for names that mean the same in every schema of the API. The description of
 * the API adds the sentence where a schema says nothing itself; a name with several meanings is described in
 * each schema instead.
 */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  currency: 'Currency of the amounts, ISO 4217 code',
};
