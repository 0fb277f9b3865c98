import type { JsonObject } from '../values/json/json.ts';

/** Template that every instance has from the beginning. */
export interface PredefinedTemplate {
  readonly name: string;
  /** List position: before those of created templates. */
  readonly row: number;
  readonly content: string;
  readonly content_type: string;
  readonly context: JsonObject;
  readonly description: string;
}

const fields_to_skip = [
  'id',
  'channel',
  'channel_room',
  'group',
  'links',
  'group_permissions',
  'owner_permissions',
  'other_permissions',
  'owner',
  'revision',
  'updated_at',
  'created_at',
];

const table = `
{% set objects = response.objects if action == 'list' else [response] %}
<table{% if table_classes %} class="{{ table_classes }}"{% endif %}>
{% for object in objects %}
  {% if loop.first %}
  <tr{% if tr_header_classes %} class="{{ tr_header_classes }}"{% endif %}>
    {% for name in object if name not in fields_to_skip %}
    <th{% if th_header_classes %} class="{{ th_header_classes }}"{% endif %}>{{ name|e }}</th>
    {% endfor %}
  </tr>
  {% endif %}
  <tr{% if tr_row_classes %} class="{{ tr_row_classes }}"{% endif %}>
    {% for name, value in object.items() if name not in fields_to_skip %}
    <td{% if td_row_classes %} class="{{ td_row_classes }}"{% endif %}>{{ value|e if value is not none }}</td>
    {% endfor %}
  </tr>
{% endfor %}
</table>
`;

const csv = `
{%- set objects = response.objects if action == 'list' else [response] -%}
{%- for object in objects -%}
  {%- if loop.first -%}
    {%- for name in object if name not in fields_to_skip -%}
      {{ name }}{{ delimiter if not loop.last }}
    {%- endfor -%}
    {{ newline }}
  {%- endif -%}
  {%- for name, value in object.items() if name not in fields_to_skip -%}
    "{{ value|string|replace('"', '""') if value is not none }}"{{ delimiter if not loop.last }}
  {%- endfor -%}
  {{ newline }}
{%- endfor -%}
`;

/**
 * Templates of every instance, until they are changed or deleted (docs/reference/templates.md#predefined-templates).
 */
export const predefinedTemplates: readonly PredefinedTemplate[] = [
  {
    name: 'objects_html_table',
    row: 1,
    content: table.trim(),
    content_type: 'text/html',
    context: {
      table_classes: '',
      tr_header_classes: '',
      th_header_classes: '',
      tr_row_classes: '',
      td_row_classes: '',
      fields_to_skip,
    },
    description: 'Data objects as an HTML table.',
  },
  {
    name: 'objects_csv',
    row: 2,
    content: csv.trim(),
    content_type: 'text/csv',
    context: { newline: '\n', delimiter: ',', fields_to_skip },
    description: 'Data objects as comma separated values.',
  },
];

/** Checks whether a template of this name is predefined. */
export function isPredefined(name: string): boolean {
  return predefinedTemplates.some((template) => template.name === name);
}
