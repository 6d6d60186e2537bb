/** The permanent domain of a store: 1 to 60 letters, digits and hyphens below `myshopify.com`. */
const SHOP = /^[a-z0-9][a-z0-9-]{0,59}\.myshopify\.com$/;
/** The same in any case. Without the flag `u`, only ASCII letters have another case here. */
const SHOP_IN_ANY_CASE = new RegExp(SHOP, 'i');

export const isShopDomain = (text: string): boolean => SHOP.test(text);

/** The domain that a person has typed, with blanks around it and capital letters allowed. Other texts are refused. */
export function readShopDomain(text: string): string | undefined {
  const trimmed = text.replaceAll(/^ +| +$/g, '');
  return SHOP_IN_ANY_CASE.test(trimmed) ? trimmed.toLowerCase() : undefined;
}
