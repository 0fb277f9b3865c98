import { useMemo, useState } from 'preact/hooks';
import { send } from '../../../core/api.ts';
import { notify } from '../../../core/notices.ts';
import { Form, SelectField, TextField } from '../../../parts/form.tsx';
import {
  type ClassReference,
  type ObjectColumn,
  type ObjectRecord,
  objectsPath,
} from '../object-data.ts';
import { useSaving } from './conflict.tsx';
import { changedValues, type Drafts, toValueDraft } from './draft.ts';
import { ValueControl } from './value-control.tsx';

interface ObjectFormProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  /** Undefined: a new one. */
  readonly object: ObjectRecord | undefined;
  readonly onSaved: (object: ObjectRecord) => void;
}

const permissions = ['none', 'read', 'write', 'full'].map((name) => [name, name] as const);
const createOnly = ['channel', 'channel_room'];
const readOnly = ['id', 'created_at', 'updated_at', 'revision'];

/** The fields of an object, with a control for each type. */
export function ObjectFields({ ofClass, columns, object, onSaved }: ObjectFormProps) {
  const edited = columns.filter(
    ({ name }) => !readOnly.includes(name) && (object === undefined || !createOnly.includes(name)),
  );
  const loaded = useMemo(() => draftsOf(edited, object), [object]);
  const [drafts, setDrafts] = useState<Drafts>(loaded);
  const show = (current: ObjectRecord) => {
    setDrafts(draftsOf(edited, current));
    onSaved(current);
  };
  const finish = (saved: ObjectRecord) => {
    notify('Saved.');
    show(saved);
  };
  const saving = useSaving({ ofClass, columns, onSaved: finish, onTheirs: show });
  const save = async () => {
    const body = await changedValues(ofClass, edited, { drafts, loaded });
    if (object !== undefined) return saving.save(object, body);
    finish(await send({ method: 'POST', path: objectsPath(ofClass), body }));
  };
  const control = (column: ObjectColumn, error: string | undefined) => (
    <FieldControl
      key={column.name}
      ofClass={ofClass}
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
      {saving.conflict}
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

function draftsOf(columns: readonly ObjectColumn[], object: ObjectRecord | undefined): Drafts {
  return Object.fromEntries(
    columns.map((column) => [column.name, toValueDraft(column, object?.[column.name])]),
  );
}
