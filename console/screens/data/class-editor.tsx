import { useState } from 'preact/hooks';
import type { FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { counted } from '../../core/format.ts';
import { parseObject } from '../../core/json-text.ts';
import { toApiProblem } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { Button } from '../../parts/button.tsx';
import { bindDraft, type FormDraft } from '../../parts/draft-form.tsx';
import { AreaField, ErrorText, Form, nameInput, TextField } from '../../parts/form.tsx';
import { ViewButtons } from '../../parts/view-buttons.tsx';
import type { Group } from '../users/user-data.ts';
import type { ClassRecord } from './class-data.ts';
import {
  type ClassDraft,
  classLimits,
  costOf,
  countIndexes,
  definitionOf,
  draftClass,
  draftField,
  type FieldDraft,
  positionOf,
} from './class-draft.ts';
import { ClassRightsFields } from './class-rights.tsx';
import { FieldRow } from './field-row.tsx';
import { parseSchema } from './schema-text.ts';
import { SchemaView, useSchemaText } from './schema-view.tsx';

interface ClassEditorProps {
  readonly instance: string;
  /** Undefined for a new class. */
  readonly record: ClassRecord | undefined;
  readonly targets: readonly string[];
  readonly groups: readonly Group[];
  readonly onSaved: (record: ClassRecord) => void;
}

/** Edits a class; its fields as a form, or as JSON. */
export function ClassEditor({ instance, record, targets, groups, onSaved }: ClassEditorProps) {
  const [draft, setDraft] = useState(() => draftClass(record));
  const [position, setPosition] = useState<number>();
  const set = (change: Partial<ClassDraft>) => setDraft({ ...draft, ...change });
  const json = useSchemaText(record, draft.fields, (fields) => set({ fields }));
  const save = async () => {
    setPosition(undefined);
    const schema =
      json.text === undefined ? draft.fields.map(definitionOf) : parseSchema(json.text);
    const { removed } = costOf(record?.schema ?? [], schema);
    if (record !== undefined && removed.length > 0 && !(await isSure(record, removed))) return;
    try {
      onSaved(await sendClass(instance, record, { draft, schema }));
    } catch (error) {
      setPosition(positionOf(toApiProblem(error)));
      throw error;
    }
    notify('Saved.');
  };
  return (
    <Form verb={record === undefined ? 'Create the class' : 'Save the class'} onSend={save}>
      {(errors) => {
        const form = bindDraft({ values: draft, errors, change: set });
        return (
          <>
            <Texts draft={form} isNew={record === undefined} />
            <h2>Fields</h2>
            <ViewButtons
              isJson={json.text !== undefined}
              onForm={json.onForm}
              onJson={json.onJson}
            />
            {json.text === undefined ? (
              <Fields
                draft={draft}
                onFields={(fields) => set({ fields })}
                targets={targets}
                error={errors.schema}
                position={position}
              />
            ) : (
              <SchemaView
                text={json.text}
                onText={json.onText}
                error={json.problem ?? errors.schema}
              />
            )}
            <Cost record={record} schema={json.schema} />
            <ClassRightsFields draft={form} groups={groups} />
            <AreaField
              label="Metadata"
              hint="Free data about the class: a JSON object of at most 8 keys."
              isCode
              {...form.text('metadata')}
            />
          </>
        );
      }}
    </Form>
  );
}

interface TextsProps {
  readonly draft: FormDraft<ClassDraft>;
  readonly isNew: boolean;
}

function Texts({ draft: { text }, isNew }: TextsProps) {
  return (
    <>
      {isNew && (
        <TextField
          label="Name"
          hint="A letter, then lower-case letters, digits and _. It cannot be changed later."
          input={{ ...nameInput, maxLength: 50 }}
          {...text('name')}
        />
      )}
      <TextField label="Description" input={{ maxLength: 256 }} {...text('description')} />
    </>
  );
}

interface FieldsProps {
  readonly draft: ClassDraft;
  readonly onFields: (fields: readonly FieldDraft[]) => void;
  readonly targets: readonly string[];
  readonly error: string | undefined;
  readonly position: number | undefined;
}

function Fields({ draft: { fields }, onFields, targets, error, position }: FieldsProps) {
  const indexes = countIndexes(fields);
  return (
    <>
      <p class="about">
        {fields.length} of {classLimits.fields} fields, {indexes} of {classLimits.indexes} indexes.
        Lists can be filtered and ordered by fields with an index only. A field cannot be renamed.
      </p>
      {fields.map((field, index) => (
        <FieldRow
          key={field.row}
          field={field}
          onField={(changed) => onFields(fields.map((each) => (each === field ? changed : each)))}
          onRemove={() => onFields(fields.filter((each) => each !== field))}
          error={index === position ? error : undefined}
          targets={targets}
        />
      ))}
      {position === undefined && <ErrorText>{error}</ErrorText>}
      <Button
        disabled={fields.length >= classLimits.fields}
        onAct={() => onFields([...fields, draftField()])}
        text="Add a field"
      />
    </>
  );
}

interface CostProps {
  readonly record: ClassRecord | undefined;
  /** Undefined: it cannot be read yet. */
  readonly schema: readonly FieldDefinition[] | undefined;
}

function Cost({ record, schema }: CostProps) {
  if (record === undefined || schema === undefined) return null;
  const { removed, indexed } = costOf(record.schema, schema);
  return (
    <div role="status">
      {removed.length > 0 && (
        <p class="bad">
          The values of {removed.join(', ')} are deleted in{' '}
          {counted(record.objects_count, 'object')}, and do not come back.
        </p>
      )}
      {indexed.length > 0 && record.objects_count > 0 && (
        <p>
          The indexes of {indexed.join(', ')} are built or removed over {record.objects_count}{' '}
          objects. Until then the class cannot be changed.
        </p>
      )}
    </div>
  );
}

function isSure(record: ClassRecord, removed: readonly string[]): Promise<boolean> {
  const { name, objects_count } = record;
  return confirm({
    title: 'Remove fields',
    text: `The values of ${removed.join(', ')} are deleted in ${counted(objects_count, 'object')}. This cannot be undone.`,
    verb: 'Remove and save',
    ...(objects_count > 0 && { name }),
  });
}

function sendClass(
  instance: string,
  record: ClassRecord | undefined,
  { draft, schema }: { draft: ClassDraft; schema: readonly FieldDefinition[] },
): Promise<ClassRecord> {
  const body = {
    description: draft.description,
    schema,
    group: draft.group === '' ? null : Number(draft.group),
    group_permissions: draft.group_permissions,
    other_permissions: draft.other_permissions,
    metadata: parseObject(draft.metadata),
  };
  if (record === undefined) {
    const path = at`instances/${instance}/classes/`;
    return send({ method: 'POST', path, body: { name: draft.name, ...body } });
  }
  const path = at`instances/${instance}/classes/${record.name}/`;
  return send({ method: 'PATCH', path, body: { ...body, expected_revision: record.revision } });
}
