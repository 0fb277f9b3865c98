import type { Request, Response } from './message.ts';

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Renders an answer for a browser: the same status, the body as text with its links to follow. */
export function renderPage(request: Request, response: Response): Response {
  if (response.body === undefined || response.content !== undefined) return response;
  // a HEAD is told the length of what a GET gives
  const title = `${request.method === 'HEAD' ? 'GET' : request.method} ${request.path}`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { margin: 0 auto; max-width: 60rem; padding: 1rem }
h1 { font-size: 1.25rem; overflow-wrap: anywhere }
pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: .25rem }
</style>
</head>
<body>
<nav aria-label="Path">${breadcrumb(request.path)}</nav>
<main>
<h1>${escapeHtml(title)}</h1>
<p>Status ${response.status}</p>
<pre tabindex="0" aria-label="Answer">${withLinks(JSON.stringify(response.body, null, 2))}</pre>
</main>
</body>
</html>
`;
  return {
    status: response.status,
    headers: { ...response.headers, 'Content-Security-Policy': policy },
    content: { type: 'text/html; charset=utf-8', bytes: html },
  };
}

function breadcrumb(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const steps = segments.map((segment, at) => {
    const href = `/${segments
      .slice(0, at + 1)
      .map(encodeURIComponent)
      .join('/')}/`;
    return `<a href="${escapeHtml(href)}">${escapeHtml(segment)}</a>`;
  });
  return [`<a href="/">root</a>`, ...steps].join(' / ');
}

/** Paths of ours inside JSON text become links; everything is escaped first. */
function withLinks(json: string): string {
  return escapeHtml(json).replace(
    /&quot;(\/v1(?:\.1)?\/[^\s<>"']*?)&quot;/g,
    '&quot;<a href="$1">$1</a>&quot;',
  );
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
