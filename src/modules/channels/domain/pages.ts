/** Pages for the browser of a store's owner: static, without scripts and without anything from elsewhere. */

const LETTERS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const safe = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => LETTERS[letter] ?? letter);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
button { font: inherit; padding: 0.5rem 1rem; }
</style>
</head>
<body>
<h1>${safe(title)}</h1>
${body}
</body>
</html>
`;

/** What the service reads in a store, by scope. */
const READS: Readonly<Record<string, string>> = {
  read_products: 'Products, with their prices and pictures',
  read_inventory: 'Stock',
  read_locations: 'Locations where stock is kept',
  read_orders: 'Orders, without any data of customers',
};

interface StartPage {
  readonly businessName: string;
  readonly shop: string;
  readonly scopes: readonly string[];
}

/** Names the business, so that a link that was sent to a stranger does not connect the stranger's store. */
export const startPage = ({ businessName, shop, scopes }: StartPage): string =>
  page(
    `Connect ${shop} to ${businessName}`,
    `<p>The store <strong>${safe(shop)}</strong> will be connected to the seller account of
<strong>${safe(businessName)}</strong>. If this is not your business, close this page.</p>
<p>The service will read, and never change:</p>
<ul>${scopes.map((scope) => `<li>${safe(READS[scope] ?? scope)}</li>`).join('')}</ul>
<form method="post"><button type="submit">Continue to the store</button></form>`,
  );

export const unknownPage = (): string =>
  page(
    'This address does not work',
    '<p>It was used already, or is older than ten minutes. Begin again in your seller account.</p>',
  );

/** What each code of the end means, for people. */
const CAUSES: Readonly<Record<string, string>> = {
  parameters_invalid: 'The address was changed on its way.',
  signature_invalid: 'The address was not signed by the store.',
  expired: 'The store’s answer is too old; check the clock of the service.',
  state_unknown: 'This answer was used already, or is older than ten minutes.',
  browser_mismatch: 'Another browser began this connection.',
  shop_mismatch: 'Another store was chosen than the one to be connected.',
  not_allowed: 'The member who began may no longer connect stores.',
  denied: 'The app was not installed.',
  exchange_failed: 'The store gave no access.',
  scopes_missing: 'The store did not grant what the service must read.',
  shop_connected_elsewhere: 'This store is connected to another account.',
};

/** @param code null: the store is connected */
export const endPage = (code: string | null): string =>
  code === null
    ? page('The store is connected', '<p>You can close this page.</p>')
    : page(
        'The store is not connected',
        `<p>${safe(CAUSES[code] ?? 'It failed.')} Begin again in your seller account.</p>
<p>Code: <code>${safe(code)}</code></p>`,
      );
