import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { type DescribedField, readFields } from './fields.ts';
import { type Html, html } from './html.ts';

/** Renders the response to OPTIONS as text and tables. */
export function renderDescription(description: JsonObject, allow: string | undefined): Html {
  const { description: text, renders, parses, actions } = description;
  const facts = [
    ['Methods', allow ?? ''],
    ['Responses', joinValues(renders)],
    ['Bodies', joinValues(parses)],
  ].filter(([, value]) => value !== '');
  const tables = isJsonObject(actions)
    ? Object.entries(actions).map(([method, action]) => renderTable(method, readFields(action)))
    : [];
  return html`<section id="about" class="panel about" aria-labelledby="title-about"><h2 id="title-about">About</h2>
${typeof text === 'string' && text !== '' && html`<p>${text}</p>`}
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${tables}</section>`;
}

function joinValues(values: Json | undefined): string {
  return Array.isArray(values) ? values.join(', ') : '';
}

function renderTable(method: string, fields: readonly DescribedField[]): Html | undefined {
  if (fields.length === 0) return undefined;
  return html`<details><summary>Fields of ${method}</summary>
<div class="wide" tabindex="0" role="region" aria-label="Fields of ${method}"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${fields.map(renderRow)}</tbody></table></div></details>`;
}

function renderRow({ name, type, required, readOnly, limits, choices }: DescribedField): Html {
  const notes = [
    ...(readOnly ? ['read-only'] : required ? ['required'] : []),
    ...limits,
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
  ];
  return html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${notes.join('; ')}</td></tr>`;
}
