import { useMemo, useState } from 'preact/hooks';
import { send } from '../../../core/api.ts';
import { attempt, notify } from '../../../core/notices.ts';
import { Form, SelectField, TextField } from '../../../parts/form.tsx';
import {
  type Column,
  type DataObject,
  type ObjectsPlace,
  objectPath,
  objectsPath,
  readObject,
} from '../object-data.ts';
import { Conflict, type ConflictState } from './conflict.tsx';
import { changedValues, type Drafts, isConflict, toDraft, updateRequest } from './draft.ts';
import { ValueControl } from './value-control.tsx';

interface ObjectFormProps {
  readonly place: ObjectsPlace;
  readonly columns: readonly Column[];
  /** Undefined: a new one. */
  readonly object: DataObject | undefined;
  readonly onSaved: (object: DataObject) => void;
}

const permissions = ['none', 'read', 'write', 'full'].map((name) => [name, name] as const);
const createOnly = ['channel', 'channel_room'];
const readOnly = ['id', 'created_at', 'updated_at', 'revision'];

/** The fields of an object, with a control for each type. */
export function ObjectForm({ place, columns, object, onSaved }: ObjectFormProps) {
  const edited = columns.filter(
    ({ name }) => !readOnly.includes(name) && (object === undefined || !createOnly.includes(name)),
  );
  const loaded = useMemo(() => draftsOf(edited, object), [object]);
  const [drafts, setDrafts] = useState<Drafts>(loaded);
  const [conflict, setConflict] = useState<ConflictState>();
  const show = (current: DataObject) => {
    setDrafts(draftsOf(edited, current));
    setConflict(undefined);
    onSaved(current);
  };
  const finish = (saved: DataObject) => {
    notify('Saved.');
    show(saved);
  };
  const save = async () => {
    const body = await changedValues(place, edited, { drafts, loaded });
    if (object === undefined) {
      return finish(await send({ method: 'POST', path: objectsPath(place), body }));
    }
    const path = objectPath(place, object.id);
    try {
      finish(await send(updateRequest(path, body, object.revision)));
    } catch (error) {
      if (!isConflict(error)) throw error;
      setConflict({ theirs: await readObject(place, object.id), mine: body });
    }
  };
  const overwrite = async ({ theirs, mine }: ConflictState) => {
    finish(await send(updateRequest(objectPath(place, theirs.id), mine, theirs.revision)));
  };
  const control = (column: Column, error: string | undefined) => (
    <FieldControl
      key={column.name}
      place={place}
      column={column}
      draft={drafts[column.name] ?? null}
      onDraft={(draft) => setDrafts((last) => ({ ...last, [column.name]: draft }))}
      error={error}
    />
  );
  return (
    <>
      <Form verb={object === undefined ? 'Create the object' : 'Save'} onSend={save}>
        {(errors) => (
          <div class="object-fields">
            {edited
              .filter(({ isSystem }) => !isSystem)
              .map((each) => control(each, errors[each.name]))}
            <details>
              <summary>Owner, permissions{object === undefined && ' and channel'}</summary>
              {edited
                .filter(({ isSystem }) => isSystem)
                .map((each) => control(each, errors[each.name]))}
            </details>
          </div>
        )}
      </Form>
      {conflict !== undefined && (
        <Conflict
          {...conflict}
          columns={columns}
          onKeepTheirs={() => show(conflict.theirs)}
          onOverwrite={() => attempt(() => overwrite(conflict))}
        />
      )}
    </>
  );
}

function FieldControl(props: Parameters<typeof ValueControl>[0]) {
  const { column, draft, onDraft, error } = props;
  const text = typeof draft === 'string' ? draft : '';
  if (column.name.endsWith('_permissions') && column.isSystem) {
    const options = draft === null ? [['', 'default'] as const, ...permissions] : permissions;
    return (
      <SelectField
        label={column.name}
        value={text}
        onValue={onDraft}
        options={options}
        error={error}
      />
    );
  }
  if (createOnly.includes(column.name)) {
    const set = (value: string) => onDraft(value === '' ? null : value);
    return <TextField label={column.name} value={text} onValue={set} error={error} />;
  }
  return <ValueControl {...props} />;
}

function draftsOf(columns: readonly Column[], object: DataObject | undefined): Drafts {
  return Object.fromEntries(
    columns.map((column) => [column.name, toDraft(column, object?.[column.name])]),
  );
}
