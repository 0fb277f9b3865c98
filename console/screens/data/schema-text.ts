import { type FieldDefinition, fieldTypes } from '../../../shared/classes/rules/field-types.ts';
import { ApiProblem } from '../../core/api.ts';
import { parseJson } from '../../core/json-text.ts';
import { toApiProblem } from '../../core/load.ts';
import { canKeepValues, draftField, type FieldDraft } from './class-draft.ts';

/**
 * Parses fields that were typed as JSON. Options are not checked: the server does that, with a message for each.
 *
 * @throws ApiProblem at the field `schema`
 */
export function parseSchema(text: string): readonly FieldDefinition[] {
  let schema: unknown;
  try {
    schema = parseJson(text);
  } catch (error) {
    throw schemaProblem(toApiProblem(error).message);
  }
  if (!Array.isArray(schema)) {
    throw schemaProblem('This has to be a list of fields: [{ "name": "title", "type": "string" }]');
  }
  for (const [index, field] of schema.entries()) {
    if (!isDefinition(field)) throw schemaProblem(`Field ${index + 1} needs a name and a type`);
  }
  return schema;
}

/**
 * Returns fields that were typed as JSON as lines of the form.
 *
 * @param stored of the class: those among them that are kept have their name, type and target fixed
 * @throws ApiProblem as `parseSchema`, and for a type that the form does not have
 */
export function toFieldDrafts(
  text: string,
  stored: readonly FieldDefinition[],
): readonly FieldDraft[] {
  return parseSchema(text).map((field) => {
    const { name, type } = field;
    if (!fieldTypes.includes(type)) {
      throw schemaProblem(`The type ${JSON.stringify(type)} of ${name} is not known.`);
    }
    return { ...draftField(field), stored: stored.find((each) => canKeepValues(each, field)) };
  });
}

function isDefinition(field: unknown): field is FieldDefinition {
  if (typeof field !== 'object' || field === null) return false;
  const isText = (value: unknown) => typeof value === 'string';
  return 'name' in field && isText(field.name) && 'type' in field && isText(field.type);
}

function schemaProblem(text: string): ApiProblem {
  return new ApiProblem(0, `Fields: ${text}`, { schema: text });
}
