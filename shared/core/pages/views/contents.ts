import type { ContentsMethod, ContentsPath, PageContents } from '../../routing/page-hints.ts';
import { attributes, type Html, html } from '../html.ts';

/** Renders a table of contents: a fold for each section, with its paths and their methods. */
export function renderContents({ whole, sections }: PageContents): Html {
  const links = whole.map(
    ([address, text]) =>
      html`<li><a${attributes({ rel: 'external', href: address })}>${text}</a></li>\n`,
  );
  return html`<nav class="links" aria-label="Whole"><ul>${links}</ul></nav>
<div class="contents">${sections.map(renderSection)}</div>`;
}

function renderSection({ name, paths }: PageContents['sections'][number]): Html {
  const count = paths.reduce((sum, { methods }) => sum + methods.length, 0);
  return html`<details${attributes({ id: `section-${name.toLowerCase().replaceAll(/\W/g, '-')}` })}><summary>${name}<span class="hint">${count} ${count === 1 ? 'operation' : 'operations'}</span></summary>
<ul>${paths.map(renderPath)}</ul></details>
`;
}

function renderPath({ path, methods }: ContentsPath): Html {
  const text = html`<code>${path}</code>`;
  const isPage = !path.includes('{') && methods.some(({ method }) => method === 'GET');
  return html`<li>${isPage ? html`<a href="${path}">${text}</a>` : text}
<ul>${methods.map(renderMethod)}</ul></li>
`;
}

function renderMethod({ method, summary, details }: ContentsMethod): Html {
  const text =
    details === undefined
      ? summary
      : html`<a${attributes({ rel: 'external', href: details })}>${summary}</a>`;
  return html`<li><span class="verb">${method}</span> ${text}</li>
`;
}
