/** The page on which the owner of a store installs an app. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const safe = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => escapes[letter] ?? letter);

/** @param fields the parameters of the request, which the form sends back */
export function consentPage(store: string, fields: Readonly<Record<string, string>>): string {
  const scopes = (fields['scope'] ?? '').split(',').filter(Boolean);
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${safe(name)}" value="${safe(value)}">`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Install app</title></head>
<body>
<h1>Install the seller partner service in ${safe(store)}</h1>
<p>A local store platform for development. The app asks for:</p>
<ul>${scopes.map((scope) => `<li>${safe(scope)}</li>`).join('')}</ul>
<form method="post">
${hidden.join('\n')}
<button name="decision" value="install">Install</button>
<button name="decision" value="cancel">Cancel</button>
</form>
</body>
</html>
`;
}
