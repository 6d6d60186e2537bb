import { foldText } from '../../../kernel/fold-text.ts';

interface Searched {
  readonly names: readonly (string | null | undefined)[];
  readonly ship_to?: Readonly<Record<string, unknown>>;
  readonly lines: readonly {
    readonly seller_sku?: string | null | undefined;
    readonly title?: string | null | undefined;
  }[];
}

/** The text in which a search of orders finds words. */
export function searchText({ names, ship_to = {}, lines }: Searched): string {
  const receiver = [ship_to['name'], ship_to['city'], ship_to['postcode']];
  const words = [
    ...names,
    ...receiver.filter((part) => typeof part === 'string'),
    ...lines.flatMap(({ seller_sku, title }) => [seller_sku, title]),
  ];
  return foldText(words.filter((word) => word != null).join(' '));
}
