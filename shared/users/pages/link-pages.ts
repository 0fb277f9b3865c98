import type { Response } from '../../core/http/message.ts';
import { style } from '../../core/pages/assets.ts';
import { asHtml, html, htmlText } from '../../core/pages/html.ts';
import { inlineSource } from '../../core/pages/shell.ts';
import type { Operation } from '../../core/routing/route.ts';
import { linkPageScript } from './script.ts';

/* The plain pages of links in mails to users (docs/reference/user-accounts.md#pages-of-links). */

interface LinkPage {
  readonly title: string;
  readonly text: string;
  readonly password: string;
  readonly isPasswordRequired: boolean;
  readonly button: string;
  readonly done: string;
}

const policy = [
  "default-src 'none'",
  `script-src '${inlineSource(linkPageScript)}'`,
  `style-src '${inlineSource(style)}'`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Adds a page to the description of a POST: links lead to the page, which sends it. */
export function withPage<Post extends { readonly operations: object }>(
  page: Operation,
  described: Post,
): Post {
  return { ...described, operations: { GET: page, ...described.operations } };
}

/** The page of links that confirm an address. */
export const confirmPage: Operation = pageOperation({
  title: 'Confirm your e-mail address',
  text: 'Confirm that this address is yours. You can set a password at the same time.',
  password: 'New password (not required)',
  isPasswordRequired: false,
  button: 'Confirm the address',
  done: 'Your address is confirmed. You can go back to the app.',
});

/** The page of links for a new password. */
export const resetPage: Operation = pageOperation({
  title: 'Set a new password',
  text: 'You will be logged out everywhere else.',
  password: 'New password',
  isPasswordRequired: true,
  button: 'Set the password',
  done: 'Your password is set. You can log in with it now.',
});

/** Returns the operation of a page. It is the same for each request: nothing of a request is in it. */
function pageOperation(page: LinkPage): Operation {
  const content = { type: 'text/html; charset=utf-8', bytes: render(page) };
  const response: Response = { status: 200, headers, content };
  return { right: 'G', isForPeople: true, run: () => Promise.resolve(response) };
}

function render({ title, text, password, isPasswordRequired, button, done }: LinkPage): string {
  const required = isPasswordRequired ? html` required` : '';
  return htmlText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${asHtml(style)}</style>
</head>
<body>
<main id="main">
<h1>${title}</h1>
<noscript><p class="notice">This page needs JavaScript.</p></noscript>
<p id="link-status" role="status"></p>
<form id="link-form" data-done="${done}">
<p>${text}</p>
<div class="fields">
<div class="field text"><label for="link-password">${password}</label><input id="link-password" type="password" autocomplete="new-password" maxlength="128"${required}></div>
<div class="field text"><label for="link-repeated">The same again</label><input id="link-repeated" type="password" autocomplete="new-password" maxlength="128"${required}></div>
</div>
<p class="buttons"><button id="link-send" type="submit" class="main" disabled>${button}</button></p>
</form>
</main>
<script>${asHtml(linkPageScript)}</script>
</body>
</html>
`);
}
