import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { minor } from '../../../kernel/money.ts';
import { toProblem } from '../actions/problems.ts';
import { API_COLUMNS, type FieldColumns } from '../domain/fields/field-columns.ts';
import { type ValidPatch, validatePatch } from '../domain/fields/validate-patch.ts';
import { normaliseStrategy } from '../domain/identity/normalise-strategy.ts';
import { identityFromWire } from '../domain/identity/wire-identity.ts';
import { IDENTITY_STRATEGIES } from '../domain/product.ts';
import type { ImageClaim, ProductPatch } from '../domain/row.ts';
import type { ProductBody } from '../schemas/product-input.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Images = NonNullable<ProductBody['images']>;

const amount = (value: number | null) => (value === null ? null : minor(value));

/** Sorts images by their positions; without one, the position is the place in the list. */
function inOrder(images: Images): ImageClaim[] {
  return images
    .map((image, index) => ({ image, at: image.position ?? index + 1, index }))
    .sort((a, b) => a.at - b.at || a.index - b.index)
    .map(({ image: { url, alt } }) => (alt === undefined ? { url } : { url, alt }));
}

/** Keys that are the same in the body and in the patch. */
const SAME_KEYS = [
  'seller_sku',
  'title',
  'description',
  'brand',
  'category',
  'condition',
  'currency',
  'reorder_point',
  'shipping_profile_id',
  'status',
  'attributes',
] as const satisfies readonly (keyof ProductPatch & keyof ProductBody)[];

function patchOf(body: ProductBody): ProductPatch {
  const patch: Mutable<ProductPatch> = {};
  for (const key of SAME_KEYS) if (body[key] !== undefined) Object.assign(patch, { [key]: body[key] });
  if (body.price_minor !== undefined) patch.price_minor = amount(body.price_minor);
  if (body.compare_at_minor !== undefined) patch.compare_at_minor = amount(body.compare_at_minor);
  const quantity = body.quantity_on_hand === undefined ? body.quantity : body.quantity_on_hand;
  if (quantity !== undefined) patch.quantity = quantity;
  if (body.images !== undefined) patch.images = inOrder(body.images);
  if (body.variation !== undefined) {
    patch.variation = body.variation && { ...body.variation, theme: body.variation.theme ?? '' };
  }
  if (body.identity !== undefined) patch.identity = body.identity && identityFromWire(body.identity);
  return patch;
}

/** Errors that the schema does not find. */
function contradictions(body: ProductBody): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { identity, quantity, quantity_on_hand } = body;
  if (identity != null && normaliseStrategy(identity.strategy) === null) {
    problems.push({
      loc: ['body', 'identity', 'strategy'],
      msg: `Must be one of: ${IDENTITY_STRATEGIES.join(', ')}.`,
      type: 'enum',
      input: identity.strategy.slice(0, 80),
    });
  }
  if (quantity !== undefined && quantity_on_hand !== undefined && quantity !== quantity_on_hand) {
    problems.push({
      loc: ['body', 'quantity'],
      msg: 'quantity and quantity_on_hand differ. Send only quantity_on_hand.',
      type: 'contradiction',
    });
  }
  return problems;
}

/** The fields as the body names them: `quantity` is a short name of `quantity_on_hand`. */
const columnsOf = ({ quantity, quantity_on_hand }: ProductBody): FieldColumns =>
  quantity === undefined || quantity_on_hand !== undefined
    ? API_COLUMNS
    : { ...API_COLUMNS, fields: { ...API_COLUMNS.fields, quantity: 'quantity' } };

/** The findings about a body whose other fields the schema has refused. */
export function bodyFindings(body: ProductBody): FieldProblem[] {
  const { messages } = validatePatch(patchOf(body), columnsOf(body));
  const found = messages.filter(({ severity }) => severity === 'error');
  return [...contradictions(body), ...found.map((message) => toProblem(message))];
}

/**
 * Turns the body of a product request into a checked patch. Planning reports all of its errors together.
 *
 * @throws ApiError 422 for a body that cannot be a patch
 */
export function readBody(body: ProductBody): ValidPatch {
  const problems = contradictions(body);
  if (problems.length > 0) throw invalid(problems);
  return validatePatch(patchOf(body), columnsOf(body));
}
