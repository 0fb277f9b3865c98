import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { type DescribedField, readFields } from './fields.ts';
import { escapeHtml } from './html.ts';

/** What OPTIONS says of the place, in words. */
export function renderDescription(description: JsonObject, allow: string | undefined): string {
  const { description: text, renders, parses, actions } = description;
  const facts = [
    ['Methods', allow ?? ''],
    ['Answers', listed(renders)],
    ['Bodies', listed(parses)],
  ].filter(([, value]) => value !== '');
  const tables = isJsonObject(actions)
    ? Object.entries(actions).map(([method, action]) => renderTable(method, readFields(action)))
    : [];
  return `<section id="about" class="panel about" aria-labelledby="title-about"><h2 id="title-about">About</h2>
${typeof text === 'string' && text !== '' ? `<p>${escapeHtml(text)}</p>` : ''}
<dl>${facts.map(([name = '', value = '']) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>
${tables.join('\n')}</section>`;
}

function listed(values: Json | undefined): string {
  return Array.isArray(values) ? values.join(', ') : '';
}

function renderTable(method: string, fields: readonly DescribedField[]): string {
  if (fields.length === 0) return '';
  return `<details><summary>Fields of ${escapeHtml(method)}</summary>
<div class="wide" tabindex="0" role="region" aria-label="Fields of ${escapeHtml(method)}"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${fields.map(renderRow).join('\n')}</tbody></table></div></details>`;
}

function renderRow({ name, type, required, readOnly, limits, choices }: DescribedField): string {
  const notes = [
    ...(readOnly ? ['read-only'] : required ? ['required'] : []),
    ...limits,
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
  ];
  return `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${escapeHtml(type)}</td><td>${escapeHtml(notes.join('; '))}</td></tr>`;
}
