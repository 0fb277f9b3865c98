import { useState } from 'preact/hooks';
import type { FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { noteChangedClasses } from '../../core/class-names.ts';
import { confirm } from '../../core/confirm.ts';
import { counted } from '../../core/format.ts';
import { parseObject } from '../../core/json-text.ts';
import { nameHints, nameLengths } from '../../core/name-hints.ts';
import { notify } from '../../core/notices.ts';
import { refusalOf, type SentRequest } from '../../core/roles.ts';
import { currentLocation, setQuery } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DraftForm, type FormDraft } from '../../parts/draft-form.tsx';
import { AreaField, nameInput, TextField } from '../../parts/form.tsx';
import { Locked } from '../../parts/locked.tsx';
import { type ClassRecord, classPath } from './class-data.ts';
import {
  type ClassDraft,
  classLimits,
  costOf,
  countIndexes,
  definitionOf,
  draftClass,
} from './class-draft.ts';
import { RightsFields, rightsBody } from './class-rights.tsx';
import { FieldLines } from './field-lines.tsx';
import { parseSchema, toFieldDrafts } from './schema-text.ts';

interface ClassEditorProps {
  readonly instance: string;
  /** Undefined for a new class. */
  readonly record: ClassRecord | undefined;
  readonly targets: readonly string[];
  readonly onSaved: (record: ClassRecord) => void;
}

/** Edits the structure of a class, or a new class with its rights. */
export function ClassEditor({ instance, record, targets, onSaved }: ClassEditorProps) {
  const [start] = useState(() => {
    const draft = draftClass(record);
    return isJsonShown() ? { ...draft, json: jsonOf(draft) } : draft;
  });
  const write = writeOf(instance, record);
  const isLocked = refusalOf(write) !== undefined;
  const save = async (draft: ClassDraft) => {
    const schema = schemaOf(draft);
    const { removed } = costOf(record?.schema ?? [], schema);
    if (record !== undefined && removed.length > 0 && !(await isSure(record, removed))) return;
    const saved = await sendClass(instance, record, { draft, schema });
    onSaved(saved);
    notify(record === undefined ? `Class ${saved.name} created.` : 'Saved.');
  };
  return (
    <DraftForm
      start={start}
      verb={record === undefined ? 'Create class' : 'Save'}
      sends={write}
      onSend={save}
      isLong
      hasOwnLocks
    >
      {(draft) => (
        <>
          <Locked isLocked={isLocked}>
            {record === undefined && (
              <TextField
                label="Name"
                hint={nameHints.class}
                input={{ ...nameInput, maxLength: nameLengths.class.maxLength }}
                {...draft.text('name')}
              />
            )}
            <TextField
              label="Description"
              input={{ maxLength: 256 }}
              {...draft.text('description')}
            />
          </Locked>
          <Schema {...{ draft, record, targets, isLocked }} />
          <Locked isLocked={isLocked}>
            {record === undefined ? (
              <details>
                <summary>Rights</summary>
                <RightsFields draft={draft} instance={instance} />
              </details>
            ) : (
              <details open={draft.errors.metadata !== undefined || undefined}>
                <summary>Metadata</summary>
                <AreaField
                  label="Metadata"
                  hint="Your own data about the class: a JSON object with up to 8 keys."
                  isCode
                  {...draft.text('metadata')}
                />
              </details>
            )}
          </Locked>
        </>
      )}
    </DraftForm>
  );
}

interface SchemaProps extends Pick<ClassEditorProps, 'record' | 'targets'> {
  readonly draft: FormDraft<ClassDraft>;
  readonly isLocked: boolean;
}

/** The fields, as lines or as JSON, and what their change costs. */
function Schema({ draft, record, targets, isLocked }: SchemaProps) {
  const { values, change, errors } = draft;
  const { fields, json } = values;
  const stored = record?.schema ?? [];
  const showForm = () => {
    if (json !== undefined) change({ fields: toFieldDrafts(json, stored), json: undefined });
    setQuery({ view: undefined });
  };
  const showJson = () => {
    change({ json: json ?? jsonOf(values) });
    setQuery({ view: 'json' });
  };
  return (
    <>
      <div class="heading">
        <h2>Fields</h2>
        <div class="actions">
          <Button aria-pressed={json === undefined} onAct={showForm} text="Form" />
          <Button aria-pressed={json !== undefined} onAct={showJson} text="JSON" />
        </div>
      </div>
      {json === undefined ? (
        <>
          <p class="hint">
            {fields.length} of {classLimits.fields} fields, {countIndexes(fields)} of{' '}
            {classLimits.indexes} indexes. {nameHints.field} It cannot be renamed later.
          </p>
          <Locked isLocked={isLocked}>
            <FieldLines
              fields={fields}
              onFields={(next) => change({ fields: next })}
              targets={targets}
              error={errors.schema}
            />
          </Locked>
        </>
      ) : (
        <>
          <Locked isLocked={isLocked}>
            <AreaField
              label="Fields as JSON"
              hint="A field that is left out, or has another name or type, loses its values."
              value={json}
              onValue={(next) => change({ json: next })}
              error={errors.schema}
              rows={20}
              isCode
            />
          </Locked>
          <CopyButton text={() => json} label="Copy" about="the fields as JSON" />
        </>
      )}
      {record !== undefined && <Cost record={record} draft={values} />}
    </>
  );
}

interface CostProps {
  readonly record: ClassRecord;
  readonly draft: ClassDraft;
}

function Cost({ record: { schema, objects_count }, draft }: CostProps) {
  const next = tryRead(draft);
  if (next === undefined) return null;
  const { removed, indexed } = costOf(schema, next);
  return (
    <div role="status">
      {removed.length > 0 && <p class="bad">{lossOf(removed, objects_count)}</p>}
      {indexed.length > 0 && objects_count > 0 && (
        <p>
          The indexes of {indexed.join(', ')} are built or removed in{' '}
          {counted(objects_count, 'object')}. Until then the class cannot be changed.
        </p>
      )}
    </div>
  );
}

/** Whether the place names the view as JSON: it stays when the class is saved. */
function isJsonShown(): boolean {
  return currentLocation.peek().query.get('view') === 'json';
}

function jsonOf(draft: ClassDraft): string {
  return writeExactJson(schemaOf(draft), 2);
}

/** Returns the fields of a draft; a last one without a name is left out. */
function schemaOf({ fields, json }: ClassDraft): readonly FieldDefinition[] {
  if (json !== undefined) return parseSchema(json);
  const named = fields.at(-1)?.name === '' ? fields.slice(0, -1) : fields;
  return named.map(definitionOf);
}

function tryRead(draft: ClassDraft): readonly FieldDefinition[] | undefined {
  try {
    return schemaOf(draft);
  } catch {
    return undefined; // the reason is shown when it is saved
  }
}

function lossOf(removed: readonly string[], objects: number): string {
  return `The values of ${removed.join(', ')} are deleted in ${counted(objects, 'object')}. This cannot be undone.`;
}

function isSure({ name, objects_count }: ClassRecord, removed: readonly string[]) {
  return confirm({
    title: 'Remove fields?',
    text: lossOf(removed, objects_count),
    verb: 'Remove and save',
    ...(objects_count > 0 && { name }),
  });
}

async function sendClass(
  instance: string,
  record: ClassRecord | undefined,
  { draft, schema }: { draft: ClassDraft; schema: readonly FieldDefinition[] },
): Promise<ClassRecord> {
  const { name, description } = draft;
  const write = writeOf(instance, record);
  if (record === undefined) {
    const body = { name, description, schema, ...rightsBody(draft) };
    const created = await send<ClassRecord>({ ...write, body });
    noteChangedClasses();
    return created;
  }
  const metadata = parseObject(draft.metadata);
  const body = { description, schema, metadata, expected_revision: record.revision };
  return send({ ...write, body });
}

/** Returns the request that creates a class, or changes one. */
function writeOf(instance: string, record: ClassRecord | undefined): SentRequest {
  if (record === undefined) return { method: 'POST', path: at`instances/${instance}/classes/` };
  return { method: 'PATCH', path: classPath(instance, record.name) };
}
