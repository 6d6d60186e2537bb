/** Warnings about the header of a file. */
import { cleanCell, normaliseHeader } from '../cell.ts';
import { headerPositions } from '../columns.ts';
import type { MapperContext, ProfileName } from '../profile.ts';
import { PROFILES } from '../profiles.ts';
import { marketOf } from '../store-platform/columns.ts';
import type { DetectWarning } from './answer.ts';

/** The name of Australia in several languages. */
const AUSTRALIA = /^(?:australi[aeë]n?|australie|austrália|avustralya|オーストラリア|澳大利亚|australien)$/;

export function headerWarnings(
  profile: ProfileName,
  header: readonly string[],
  context: MapperContext,
): readonly DetectWarning[] {
  const warnings: DetectWarning[] = [];
  const repeated = [...headerPositions(header)].filter(([, positions]) => positions.length > 1);
  if (repeated.length > 0) {
    warnings.push({
      code: 'duplicate_header',
      message: 'The header has some columns twice. In each row the first of them that is not empty counts.',
      columns: repeated.map(([, positions]) => cleanCell(header[positions[0] ?? 0])),
    });
  }
  if (PROFILES[profile].updateOnly(header)) {
    warnings.push({
      code: 'update_only',
      message: 'The file has no prices or no quantities, so it can update products but not create them.',
    });
  }
  if (profile === 'store_platform_products') warnings.push(...storeWarnings(header, context));
  return warnings;
}

function storeWarnings(header: readonly string[], context: MapperContext): readonly DetectWarning[] {
  const warnings: DetectWarning[] = [
    {
      code: 'currency_not_in_file',
      message: `The file names no currency; prices are read as ${context.seller_currency}.`,
    },
  ];
  const marketColumns = header.filter((cell) => marketOf(normaliseHeader(cell)) !== null);
  if (marketColumns.length > 0) {
    warnings.push({
      code: 'market_columns_ignored',
      message: 'The import uses the price of the store and ignores the prices of single markets.',
      columns: marketColumns.map(cleanCell),
    });
  }
  const australian = marketColumns.filter((cell) => AUSTRALIA.test(marketOf(normaliseHeader(cell)) ?? ''));
  if (australian.length > 0) {
    warnings.push({
      code: 'market_currency_question',
      message:
        'The file has separate prices for Australia, so the store price may be in another currency. ' +
        `Make sure that it is in ${context.seller_currency}.`,
      columns: australian.map(cleanCell),
    });
  }
  return warnings;
}
