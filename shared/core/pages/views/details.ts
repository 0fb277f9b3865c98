import type { JsonObject } from '../../../values/json/json.ts';
import type { PageHints } from '../../routing/page-hints.ts';
import { type Html, html } from '../html.ts';
import { sortMembers } from './members.ts';
import { renderValue } from './value.ts';

/** Renders an item: its own fields, and folded below them those of the system. */
export function renderDetails(item: JsonObject, hints: PageHints | undefined): Html {
  const { own, system } = sortMembers(Object.keys(item));
  const render = (names: readonly string[]) =>
    html`<dl class="details">${names.map(
      (name) =>
        html`<div><dt>${name}</dt><dd>${renderValue({ value: item[name], hints })}</dd></div>\n`,
    )}</dl>`;
  return html`${own.length > 0 && render(own)}
${system.length > 0 && html`<details class="fold"><summary>System fields</summary>${render(system)}</details>`}`;
}
