import { createHash } from 'node:crypto';
import { script, style } from './assets.ts';
import { asHtml, type Html, html, htmlText } from './html.ts';
import { product } from './views/home.ts';

/** The parts that differ between pages. */
export interface PageParts {
  readonly title: string;
  /** `li` elements. */
  readonly breadcrumb: readonly Html[];
  /** The `main` element. */
  readonly main: Html;
}

const policy = [
  "default-src 'none'",
  `script-src '${inlineSource(script)}'`,
  `style-src '${inlineSource(style)}'`,
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every page: only the page's own style and script are allowed to run or load. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer', // a URL may contain a key
  'X-Frame-Options': 'DENY',
};

/** Renders the complete document. */
export function renderShell({ title, breadcrumb, main }: PageParts): string {
  return htmlText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === product ? product : `${title} · ${product}`}</title>
<link rel="icon" href="${icon}">
<style>${asHtml(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the response</a>
<header>
<nav id="path" aria-label="Path"><ol>${breadcrumb}</ol></nav>
${keys}
</header>
<noscript><p class="notice">Without script, this page is for reading what is open to all.</p></noscript>
<p id="notice" class="notice" role="status"></p>
<p id="announcement" class="unseen" role="status"></p>
${main}
<script>${asHtml(script)}</script>
</body>
</html>
`);
}

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/><path d="M3 12h10M5 8h6M7 4h2" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>',
)}`;

/** The form for keys. Only the script reads it, so it is hidden without script. */
const keys = html`<details id="keys" class="scripts"><summary>Keys<span id="keys-state"></span></summary>
<form id="form-keys" autocomplete="off">
<p class="hint">Kept in this tab until it is closed, and sent in headers only. No key yet? <a href="/v1.1/account/auth/">Log in</a> or <a href="/v1.1/account/register/">sign up</a>.</p>
<div class="fields">
<div class="field text"><label for="keys-api">API or account key</label><input id="keys-api" class="secret" autocomplete="off" autocapitalize="none" spellcheck="false"></div>
<div class="field text"><label for="keys-user">User key <span class="hint">only with an API key</span></label><input id="keys-user" class="secret" autocomplete="off" autocapitalize="none" spellcheck="false"></div>
</div>
<p class="buttons"><button type="submit" class="main">Use these keys</button> <button type="button" id="forget">Forget them</button></p>
</form></details>`;

/** Returns the source expression of a Content-Security-Policy that allows an inline style or script. */
export function inlineSource(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
