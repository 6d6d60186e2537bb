/** The two pages. All scripts are files, so that the pages' policy forbids inline ones. */

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

/** No validator badge: it would send the description's address to its maker. Tokens stay in memory. */
export const SWAGGER_START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
});
`;

/** Fonts of the reader's own system; the default ones would have to be fetched. */
export const REDOC_START = `Redoc.init(
  '/openapi.json',
  {
    nativeScrollbars: true,
    expandResponses: '200,201',
    requiredPropsFirst: true,
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
 * Policy of the two pages only: own files and nothing else. Both libraries set styles from script; Redoc
 * searches in a worker that it makes from its own text, Swagger UI shows pictures that stand in its style sheet.
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
