import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { below, type RequestPath } from '../../../../shared/values/text/request-path.ts';
import { ApiProblem, checkFiles, fromServer, send } from '../../../core/api.ts';
import { parseJson, parseNumber } from '../../../core/json-text.ts';
import type { ApiRequest } from '../../../core/request.ts';
import { classPath } from '../../data/class-data.ts';
import { bareValue, type ClassReference, type ObjectColumn, valueText } from '../object-data.ts';

/** A value while it is edited: its text, or a file that was chosen; null: not set. */
export type ValueDraft = string | File | null;

/** Drafts by the names of their fields. */
export type Drafts = Readonly<Record<string, ValueDraft>>;

/** Returns a value of an object as a draft. */
export function toValueDraft(column: ObjectColumn, value: unknown): ValueDraft {
  if (value === null || value === undefined) return null;
  const isJson = column.type === 'array' || column.type === 'object';
  return isJson ? writeExactJson(bareValue(value), 2) : valueText(column, value);
}

/**
 * Returns what is sent for a draft. A file is uploaded first.
 *
 * @throws ApiProblem under the name of the field, when the text cannot be read
 */
export async function fromDraft(
  ofClass: ClassReference,
  { name, type }: ObjectColumn,
  draft: ValueDraft,
): Promise<unknown> {
  if (draft === null) return null;
  if (draft instanceof File) return upload(ofClass, draft);
  if (type === 'string' || type === 'text') return draft;
  if (draft.trim() === '') return null;
  try {
    return parseDraft(type, draft);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    throw new ApiProblem(0, `${name}: ${message}`, { [name]: message });
  }
}

function parseDraft(type: ObjectColumn['type'], draft: string): unknown {
  switch (type) {
    case 'array':
    case 'object':
      return parseJson(draft);
    case 'relation':
      return draft.split(',').map((id) => parseNumber(id));
    case 'geopoint': {
      const [latitude = '', longitude = ''] = draft.split(',');
      return { latitude: Number(latitude), longitude: Number(longitude) };
    }
    default:
      return draft;
  }
}

/** An upload that the server has opened. */
interface Upload {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: string;
}

/** Uploads a file to the file storage, and returns the name under which it is saved in a field. */
async function upload({ instance, className }: ClassReference, file: File): Promise<string> {
  const path = below(classPath(instance, className))`uploads/`;
  const body = { filename: file.name, content_type: file.type };
  const opened = await send<Upload>({ method: 'POST', path, body });
  const form = new FormData();
  for (const [name, value] of Object.entries(opened.fields)) form.set(name, value);
  form.set('file', file);
  await checkFiles(form);
  const response = await fromServer(
    fetch(opened.url, { method: 'POST', body: form, credentials: 'omit' }),
  );
  if (!response.ok) throw new ApiProblem(response.status, 'The file could not be uploaded.');
  return opened.file;
}

/** Returns the body with the drafts that differ from what was loaded. */
export function changedValues(
  ofClass: ClassReference,
  columns: readonly ObjectColumn[],
  { drafts, loaded }: { readonly drafts: Drafts; readonly loaded: Drafts },
): Promise<Record<string, unknown>> {
  const changed = columns.filter(({ name }) => (drafts[name] ?? null) !== (loaded[name] ?? null));
  return draftValues(ofClass, changed, drafts);
}

/** Returns the body with the drafts of columns. */
export async function draftValues(
  ofClass: ClassReference,
  columns: readonly ObjectColumn[],
  drafts: Drafts,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const column of columns)
    body[column.name] = await fromDraft(ofClass, column, drafts[column.name] ?? null);
  return body;
}

/** Tells whether an update failed because the object has changed since it was loaded. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiProblem && 'expected_revision' in error.fields;
}

/** Returns the request that changes an object, if it still has this revision. */
export function updateRequest(
  path: RequestPath,
  changes: Readonly<Record<string, unknown>>,
  revision: number,
): ApiRequest {
  return { method: 'PATCH', path, body: { ...changes, expected_revision: revision } };
}
