import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { send } from '../../../core/api.ts';
import { parseObject } from '../../../core/json-text.ts';
import { notify } from '../../../core/notices.ts';
import type { SentRequest } from '../../../core/roles.ts';
import { AreaField, Form, SelectField, TextField } from '../../../parts/form.tsx';
import { GroupField } from '../../../parts/group-choice.tsx';
import {
  type ClassReference,
  type ObjectColumn,
  type ObjectRecord,
  objectPath,
  objectsPath,
  readOnlyFields,
} from '../object-data.ts';
import { useSaving } from './conflict.tsx';
import { changedValues, type Drafts, toValueDraft } from './draft.ts';
import { ValueControl, type ValueControlProps } from './value-control.tsx';

interface ObjectFormProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  /** Undefined: a new one. */
  readonly object: ObjectRecord | undefined;
  /** All fields are one text. */
  readonly isJson: boolean;
  /** Of the field that gets the focus. */
  readonly focused: string | undefined;
  /** Buttons after *Save*. */
  readonly actions?: ComponentChildren;
  readonly onSaved: (object: ObjectRecord) => void;
}

const permissions = ['none', 'read', 'write', 'full'].map((name) => [name, name] as const);
const createOnly = ['channel', 'channel_room'];

/** Returns the columns that a person may write, of a new object or of an existing one. */
export function editableColumns(
  columns: readonly ObjectColumn[],
  isNew: boolean,
): readonly ObjectColumn[] {
  return columns.filter(
    ({ name }) => !readOnlyFields.includes(name) && (isNew || !createOnly.includes(name)),
  );
}

/** The fields of an object, with a control for each type or as JSON. */
export function ObjectForm(props: ObjectFormProps) {
  const { ofClass, columns, object, isJson, focused, actions } = props;
  const edited = editableColumns(columns, object === undefined);
  const [isOpen, setOpen] = useState(false);
  const { drafts, setDrafts, json, setJson, isChanged, save, conflict } = useDrafts(props, edited);
  const fields = useFocus(focused);
  const controls = (isSystem: boolean, errors: Readonly<Record<string, string>>) =>
    edited
      .filter((column) => column.isSystem === isSystem)
      .map((column) => (
        <div key={keyOf(column, object)} data-field={column.name}>
          <FieldControl
            ofClass={ofClass}
            column={column}
            draft={drafts[column.name] ?? null}
            onDraft={(draft) => setDrafts((last) => ({ ...last, [column.name]: draft }))}
            error={errors[column.name]}
          />
        </div>
      ));
  const verb = object === undefined ? 'Create' : 'Save';
  const sends: SentRequest =
    object === undefined
      ? { method: 'POST', path: objectsPath(ofClass) }
      : { method: 'PATCH', path: objectPath(ofClass, object.id) };
  return (
    <div ref={fields}>
      <Form {...{ verb, sends, isChanged, actions }} onSend={save} isLong>
        {(errors) =>
          isJson ? (
            <AreaField label="Object as JSON" value={json} onValue={setJson} rows={24} isCode />
          ) : (
            <>
              {controls(false, errors)}
              <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
                <summary>Owner, permissions{object === undefined && ' and channel'}</summary>
                {isOpen && <div class="stack">{controls(true, errors)}</div>}
              </details>
            </>
          )
        }
      </Form>
      {conflict}
    </div>
  );
}

/** Keeps what is typed, and saves it. */
function useDrafts(props: ObjectFormProps, edited: readonly ObjectColumn[]) {
  const { ofClass, columns, object, isJson, onSaved } = props;
  const loaded = useMemo(() => loadDrafts(edited, object), [object]);
  const [drafts, setDrafts] = useState(loaded.drafts);
  const [json, setJson] = useState(loaded.json);
  const sent = useRef({ drafts, json });
  const show = (current: ObjectRecord) => {
    const now = loadDrafts(edited, current);
    // what was typed while it was saved stays
    setDrafts((last) => ({ ...now.drafts, ...typedSince(sent.current.drafts, last) }));
    setJson((last) => (last === sent.current.json ? now.json : last));
    onSaved(current);
  };
  const finish = (saved: ObjectRecord) => {
    notify(object === undefined ? `Object ${saved.id} created.` : 'Saved.');
    show(saved);
  };
  const saving = useSaving({ ofClass, columns, onSaved: finish, onTheirs: show });
  const save = async () => {
    sent.current = { drafts, json };
    if (object !== undefined && isJson) return saving.save(object, changedJson(json, object));
    const body = await changedValues(ofClass, edited, { drafts, loaded: loaded.drafts });
    if (object !== undefined) return saving.save(object, body);
    finish(await send({ method: 'POST', path: objectsPath(ofClass), body }));
  };
  const isTyped = edited.some(({ name }) => drafts[name] !== loaded.drafts[name]);
  const isChanged = isTyped || json !== loaded.json;
  return { drafts, setDrafts, json, setJson, isChanged, save, conflict: saving.conflict };
}

/** Returns the drafts that have changed. */
function typedSince(before: Drafts, now: Drafts): Drafts {
  return Object.fromEntries(Object.entries(now).filter(([name, draft]) => draft !== before[name]));
}

/** Controls of these types keep what is typed: they begin again with each state of the object. */
function keyOf({ name, type }: ObjectColumn, object: ObjectRecord | undefined): string {
  return type === 'datetime' || type === 'array' ? `${name} ${object?.revision}` : name;
}

/** Focuses the control of a field, or for an empty name the first one, when the form appears. */
function useFocus(name: string | undefined) {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (name === undefined) return;
    const all = [...(fields.current?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
    const wanted = all.find(({ dataset }) => dataset.field === name) ?? all[0];
    const control = wanted?.querySelector<HTMLElement>('input, textarea, select');
    control?.focus();
    control?.scrollIntoView({ block: 'center' });
  }, [name]);
  return fields;
}

interface FieldControlProps extends ValueControlProps {
  /** A permission has to be chosen. */
  readonly isRequired?: boolean;
}

/** The control for a field of the class, or for one that every object has. */
export function FieldControl({ isRequired = false, ...props }: FieldControlProps) {
  const { ofClass, column, draft, onDraft, error } = props;
  if (!column.isSystem || column.name === 'owner') return <ValueControl {...props} />;
  const value = typeof draft === 'string' ? draft : '';
  const set = (text: string) => onDraft(text === '' ? null : text);
  const field = { label: column.name, value, onValue: set, error };
  if (column.name === 'group') return <GroupField {...field} instance={ofClass.instance} />;
  if (createOnly.includes(column.name)) return <TextField {...field} />;
  const unset = ['', isRequired ? 'Choose a permission' : 'default'] as const;
  const options = draft === null ? [unset, ...permissions] : permissions;
  return <SelectField {...field} options={options} required={isRequired} />;
}

function loadDrafts(columns: readonly ObjectColumn[], object: ObjectRecord | undefined) {
  const drafts: Drafts = Object.fromEntries(
    columns.map((column) => [column.name, toValueDraft(column, object?.[column.name])]),
  );
  return { drafts, json: writeExactJson(object ?? {}, 2) };
}

function changedJson(json: string, object: ObjectRecord): Readonly<Record<string, unknown>> {
  const changed = Object.entries(parseObject(json)).filter(
    ([name, value]) => writeExactJson(value) !== writeExactJson(object[name]),
  );
  return Object.fromEntries(changed);
}
