import { isJsonObject, type Json, type JsonObject } from '../../../values/json/json.ts';
import { type Html, html } from '../html.ts';
import { isApiPath } from '../json.ts';

/** Renders the links of a resource by their names, with those of pages below it; undefined: it links to itself only. */
export function renderLinks(body: unknown): Html | undefined {
  if (!isJsonObject(body) || !isJsonObject(body.links)) return undefined;
  const links = renderItems(body.links);
  return links.length === 0
    ? undefined
    : html`<nav class="links" aria-label="Links"><ul>${links}</ul></nav>`;
}

function renderItems(links: JsonObject): readonly Html[] {
  return Object.entries(links).flatMap(([name, link]) =>
    name === 'self' ? [] : renderItem(name, link),
  );
}

function renderItem(name: string, link: Json): readonly Html[] {
  const text = name.replace(/[-_]/g, ' ');
  if (isApiPath(link)) return [html`<li><a href="${link}">${text}</a></li>\n`];
  if (!isJsonObject(link) || !isApiPath(link.uri)) return [];
  const below = isJsonObject(link.links) ? renderItems(link.links) : [];
  return [html`<li><a href="${link.uri}">${text}</a> <ul>${below}</ul></li>\n`];
}
