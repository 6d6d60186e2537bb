/** Answers of which a part is JSON already, because a night has kept it so. It is neither parsed nor written again. */

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Adds fields to an object.
 *
 * @param object JSON of an object without these fields, without spaces around it
 * @param fields at least one
 */
export const withFields = (object: string, fields: object): string => {
  const rest = JSON.stringify(fields).slice(1);
  return object === '{}' ? `{${rest}` : `${object.slice(0, -1)},${rest}`;
};
