/** JSON Schema: the compilers of all schemas, and the check of the answers and events that the service makes. */
import { Ajv, type SchemaValidateFunction, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { isDay, parseInstant } from '../kernel/instant.ts';
import { isCurrency } from '../kernel/money.ts';

/** Most findings that are listed. */
export const PROBLEMS_MAX = 50;

const options = {
  allErrors: true,
  strict: false,
  // `1e999` is valid JSON, and JavaScript reads it as Infinity.
  strictNumbers: true,
  removeAdditional: false,
  useDefaults: true,
  verbose: true,
  code: { optimize: false },
} as const;
/** For JSON bodies, answers and events. */
export const strictAjv = new Ajv({ ...options, coerceTypes: false });
/** For parameters, which arrive as text. */
export const coercingAjv = new Ajv({ ...options, coerceTypes: 'array' });

/** Looks each item up. Ajv's own check compares every object with every other, which takes minutes for a large body. */
const isUnique: SchemaValidateFunction = (on: boolean, items: readonly unknown[]): boolean => {
  const seen = new Map<string, number>();
  for (const [i, item] of on ? items.entries() : []) {
    const key = canonicalJson(item);
    const j = seen.get(key);
    if (j !== undefined) {
      isUnique.errors = [{ keyword: 'uniqueItems', params: { i, j } }];
      return false;
    }
    seen.set(key, i);
  }
  return true;
};

for (const ajv of [strictAjv, coercingAjv]) {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: isUnique });
  addFormats.default(ajv);
  // These formats use the functions with which the service reads instants and days.
  ajv.addFormat('date-time', (text) => parseInstant(text) !== undefined);
  ajv.addFormat('date', isDay);
  ajv.addFormat('iso-4217', isCurrency);
}

/**
 * The check of an answer or an event against its declaration; returns the first {@link PROBLEMS_MAX} findings. The first
 * value compiles the schema, because to compile all of them would take a third of the start.
 */
export function schemaCheck(schema: object): (value: unknown) => string | undefined {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= strictAjv.compile(schema);
    const validate = compiled;
    if (validate(value)) return undefined;
    const { errors } = validate;
    const more = (errors?.length ?? 0) - PROBLEMS_MAX;
    return `${strictAjv.errorsText(errors?.slice(0, PROBLEMS_MAX))}${more > 0 ? `, and ${more} more` : ''}`;
  };
}
