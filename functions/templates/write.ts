import { type Context, instanceOf, reservedId, type Update } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import {
  type Input,
  type InputMode,
  type Values,
  validValues,
} from '../../shared/core/resource/input.ts';
import {
  changedRecord,
  freedPosition,
  listPositionWrite,
  type NamedKind,
  newName,
  takeName,
} from '../../shared/core/resource/named-records.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { deleteItem } from '../../shared/store/writes.ts';
import { templateEntity, templatePositionEntity } from '../../shared/table/entities/endpoints.ts';
import type { TemplateData } from '../../shared/table/records/records.ts';
import { isPredefined, predefinedTemplates } from '../../shared/templates/predefined.ts';
import { storedTemplate } from '../../shared/templates/response-templates.ts';
import type { templateFields } from './fields.ts';

export const templateKind: NamedKind<TemplateData> = {
  entity: templateEntity,
  positionEntity: templatePositionEntity,
};

/** A template, without joined records. */
export type TemplateView = Pick<Stored<TemplateData>, 'data'>;

/** Returns whether a record is a template, and not the mark of a deleted predefined one. */
export function isTemplate({ isRemoved }: TemplateData): boolean {
  return isRemoved !== true;
}

export async function createTemplate(
  context: Context,
  input: Input<typeof templateFields, 'create'>,
): Promise<TemplateView> {
  const draft = await readTemplate(context, input);
  const position = predefinedTemplates.length + reservedId(context);
  const data: TemplateData = { ...draft, row: position };
  return retryOnConflict(async () => {
    const holder = await readHolder(context, data.name);
    await takeName(context, templateKind, { data, holder, isLiving: isTemplate, field: 'name' });
    return { data };
  });
}

/** Changes a template, except its name; a predefined one is stored at its first change. */
export async function updateTemplate(
  context: Context,
  { current, input }: Update<TemplateData, typeof templateFields>,
): Promise<TemplateView> {
  const data: TemplateData = { ...current.data, ...(await readTemplate(context, input)) };
  await commit(context, [
    changedRecord(current, data),
    listPositionWrite(context, templateKind, data),
  ]);
  return { data };
}

/** Renames a template; the old name is free with the same transaction. */
export async function renameTemplate(
  context: Context,
  current: Stored<TemplateData>,
  body: Body,
): Promise<TemplateView> {
  const name = newName(body);
  if (name === current.data.name) return current;
  const holder = await readHolder(context, name);
  const data: TemplateData = { ...current.data, name };
  await takeName(context, templateKind, {
    data,
    holder,
    isLiving: isTemplate,
    field: 'new_name',
    more: [removal(current)],
  });
  return { data };
}

export async function removeTemplate(
  context: Context,
  current: Stored<TemplateData>,
): Promise<void> {
  await commit(context, [removal(current), freedPosition(context, templateKind, current.data)]);
}

async function readHolder(
  context: Context,
  name: string,
): Promise<Stored<TemplateData> | undefined> {
  const instance = instanceOf(context);
  const item = await templateEntity.read(context.platform.store, instance, name);
  return storedTemplate(item, instance, name);
}

/** Returns the write of a deletion; a predefined template needs a record that marks it as deleted. */
function removal(current: Stored<TemplateData>): Write {
  const { name } = current.data;
  if (!isPredefined(name)) return deleteItem(current);
  const nothing = { content: '', content_type: '', context: {}, description: '' };
  return changedRecord(current, { name, row: 0, ...nothing, isRemoved: true });
}

/**
 * Reads a body, and checks the syntax of its content.
 *
 * @throws ApiError 400 with the messages of all fields that failed
 */
async function readTemplate<Mode extends InputMode>(
  context: Context,
  input: Input<typeof templateFields, Mode>,
): Promise<Values<typeof templateFields, Mode>> {
  const reading = input.read();
  const { content }: { readonly content?: string } = reading.values;
  const problem =
    content !== undefined &&
    (await context.platform.templates.check(content, await tenantOf(context)));
  return validValues(reading, problem ? { content: [problem] } : {});
}
