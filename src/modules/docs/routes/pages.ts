/** The two pages. All scripts are files, so the content security policy can forbid inline scripts. */

interface Page {
  readonly title: string;
  readonly head: string;
  readonly body: string;
}

const page = ({ title, head, body }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
${head}
</head>
<body>
${body}
</body>
</html>
`;

export const SWAGGER_PAGE = page({
  title: 'Seller Partner Service: try the API',
  head: '<link rel="stylesheet" href="/docs/assets/swagger-ui.css">',
  body: `<div id="swagger"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/swagger-start.js"></script>`,
});

export const REDOC_PAGE = page({
  title: 'Seller Partner Service: API reference',
  head: '<style>body { margin: 0 }</style>',
  body: `<div id="redoc"></div>
<script src="/docs/assets/redoc.standalone.js"></script>
<script src="/docs/assets/redoc-start.js"></script>`,
});

/**
 * The page shows extensions, because permission, plan and rate class are extensions. It has no validator badge, which
 * would send the address of the description to its maker. Tokens are kept in memory only.
 */
export const SWAGGER_START = `const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  showExtensions: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  onComplete: followLink,
});

// The page draws only visible operations. It scrolls to a linked operation before it knows the heights of the others,
// and may miss it. So the script repeats the scrolling until the operation is visible or the reader scrolls.
function followLink() {
  const link = decodeURIComponent(location.hash);
  const operation = link.split('/')[2];
  let seen = 0;
  let tries = 0;
  if (!operation) return;
  const inView = () =>
    [...document.querySelectorAll('.opblock.is-open')].some(
      (block) =>
        block.id.replaceAll('\\\\', '').endsWith('-' + operation) &&
        Math.abs(block.getBoundingClientRect().top) < innerHeight / 2,
    );
  const timer = setInterval(() => {
    seen = inView() ? seen + 1 : 0;
    tries += 1;
    if (seen > 3 || tries > 60) clearInterval(timer);
    else if (seen === 0) ui.layoutActions.parseDeepLinkHash(link);
  }, 250);
  for (const name of ['wheel', 'keydown', 'pointerdown', 'hashchange'])
    addEventListener(name, () => clearInterval(timer), { once: true });
}
`;

/** Fonts of the reader's system, because the default fonts would be fetched from the internet. */
export const REDOC_START = `Redoc.init(
  '/openapi.json',
  {
    nativeScrollbars: true,
    expandResponses: '200,201',
    requiredPropsFirst: true,
    showExtensions: true,
    theme: {
      typography: {
        fontFamily: 'system-ui, sans-serif',
        headings: { fontFamily: 'system-ui, sans-serif' },
        code: { fontFamily: 'ui-monospace, monospace' },
      },
    },
  },
  document.getElementById('redoc'),
);
`;

/**
 * The content security policy of the two pages: only files of this service. Both libraries set styles from scripts.
 * Redoc makes a worker from its own text, and Swagger UI has pictures in its style sheet.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
