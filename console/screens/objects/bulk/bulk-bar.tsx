import { useState } from 'preact/hooks';
import { at, joinPaths } from '../../../../shared/values/text/request-path.ts';
import { confirm } from '../../../core/confirm.ts';
import { counted } from '../../../core/format.ts';
import { notify } from '../../../core/notices.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Form, SelectField } from '../../../parts/form.tsx';
import { type Drafts, draftValues } from '../edit/draft.ts';
import { editableColumns, FieldControl } from '../edit/object-form.tsx';
import { type ClassReference, type ObjectColumn, objectPath } from '../object-data.ts';
import { type BatchItem, type BatchProgress, sendForEach } from './batches.ts';

const root = at`/v1.1/`; // items of a batch have paths from it

interface BulkBarProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (selected: ReadonlySet<number>) => void;
  /** The only selected object is to be deleted. */
  readonly onRemoveOne: (id: number) => void;
  /** Objects were deleted. */
  readonly onRemoved: (ids: ReadonlySet<number>) => void;
  /** Objects were changed. */
  readonly onChanged: () => void;
}

/** What can be done with the selected objects. */
export function BulkBar(props: BulkBarProps) {
  const { ofClass, selected, onRemoveOne, onRemoved, onChanged } = props;
  const [progress, setProgress] = useState<BatchProgress>();
  const [abort, setAbort] = useState<AbortController>();
  const [isEditing, setEditing] = useState(false);
  const run = async (itemOf: (id: number) => BatchItem) => {
    const controller = new AbortController();
    setAbort(controller);
    const ids = [...selected];
    setProgress({ done: 0, total: ids.length, failures: [] });
    try {
      const { signal } = controller;
      const end = await sendForEach(
        { instance: ofClass.instance, ids, signal },
        itemOf,
        setProgress,
      );
      const failed = new Set(end.failures.map(([id]) => id));
      return new Set(ids.slice(0, end.done).filter((id) => !failed.has(id)));
    } finally {
      setAbort(undefined);
    }
  };
  const remove = async () => {
    const [first] = selected;
    if (first !== undefined && selected.size === 1) return onRemoveOne(first);
    const title = `Delete ${counted(selected.size, 'object')}?`;
    const text = 'They cannot be restored: new objects have other ids.';
    if (!(await confirm({ title, text, verb: 'Delete', name: ofClass.className }))) return;
    const gone = await run((id) => ({
      method: 'DELETE',
      path: joinPaths(root, objectPath(ofClass, id)),
    }));
    onRemoved(gone);
    notify(`${counted(gone.size, 'object')} deleted.`);
  };
  const edit = async (edited: readonly ObjectColumn[], drafts: Drafts) => {
    const body = await draftValues(ofClass, edited, drafts);
    setEditing(false);
    const cleared = Object.keys(body).find((name) => body[name] === null || body[name] === '');
    const title = `Clear ${cleared} in ${counted(selected.size, 'object')}?`;
    const text = 'Its values are lost: this cannot be undone.';
    if (cleared !== undefined && !(await confirm({ title, text, verb: 'Clear' }))) return;
    const changed = await run((id) => ({
      method: 'PATCH',
      path: joinPaths(root, objectPath(ofClass, id)),
      body,
    }));
    onChanged();
    notify(`${counted(changed.size, 'object')} changed.`);
  };
  return (
    <>
      {selected.size > 0 && (
        <SelectedBar {...props} onEdit={() => setEditing(true)} onRemove={remove} />
      )}
      {progress !== undefined && (
        <BulkProgress progress={progress} onCancel={abort && (() => abort.abort())} />
      )}
      {isEditing && <BulkEdit {...props} onEdit={edit} onClose={() => setEditing(false)} />}
    </>
  );
}

interface SelectedBarProps extends Pick<BulkBarProps, 'ofClass' | 'selected' | 'onSelect'> {
  readonly onEdit: () => void;
  readonly onRemove: () => Promise<void>;
}

function SelectedBar({ ofClass, selected, onSelect, onEdit, onRemove }: SelectedBarProps) {
  const path = objectPath(ofClass, 0); // the right to any
  return (
    <section class="bulk actions grid-tools" aria-label="Selected objects">
      <span>{selected.size} selected</span>
      <Button class="small" sends={{ method: 'PATCH', path }} onAct={onEdit} text="Edit a field" />
      <Button
        class="small danger"
        sends={{ method: 'DELETE', path }}
        onAct={onRemove}
        text="Delete"
      />
      <Button class="small" onAct={() => onSelect(new Set())} text="Clear selection" />
    </section>
  );
}

interface BulkProgressProps {
  readonly progress: BatchProgress;
  /** Undefined once it has ended. */
  readonly onCancel: (() => void) | undefined;
}

const maxShown = 10;

function BulkProgress({ progress: { done, total, failures }, onCancel }: BulkProgressProps) {
  if (onCancel === undefined && failures.length === 0) return null;
  return (
    <div class="card" role="status">
      {onCancel !== undefined && (
        <p>
          <progress aria-label="Objects done" value={done} max={total} /> {done} of {total}{' '}
          <Button class="small" onAct={onCancel} text="Stop" />
        </p>
      )}
      {failures.length > 0 && (
        <>
          <p class="bad">{failures.length} failed:</p>
          <ul>
            {failures.slice(0, maxShown).map(([id, reason]) => (
              <li key={id}>
                {id}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface BulkEditProps extends Pick<BulkBarProps, 'ofClass' | 'columns' | 'selected'> {
  readonly onEdit: (edited: readonly ObjectColumn[], drafts: Drafts) => Promise<void>;
  readonly onClose: () => void;
}

function BulkEdit({ ofClass, columns, selected, onEdit, onClose }: BulkEditProps) {
  const all = editableColumns(columns, false);
  const [chosen, setChosen] = useState(all[0]?.name ?? '');
  const [drafts, setDrafts] = useState<Drafts>({});
  // a group without permissions sees nothing
  const names = typeof drafts.group === 'string' ? ['group', 'group_permissions'] : [chosen];
  const edited = all.filter(({ name }) => names.includes(name));
  return (
    <Dialog title={`Edit ${counted(selected.size, 'object')}`} onClose={onClose}>
      <Form verb="Save" onSend={() => onEdit(edited, drafts)} onCancel={onClose}>
        {(errors) => (
          <>
            <SelectField
              label="Field"
              value={chosen}
              onValue={(next) => {
                setChosen(next);
                setDrafts({});
              }}
              options={all.map(({ name }) => [name, name])}
            />
            {edited.map((column) => (
              <FieldControl
                key={column.name}
                ofClass={ofClass}
                column={column}
                draft={drafts[column.name] ?? null}
                onDraft={(draft) => setDrafts((last) => ({ ...last, [column.name]: draft }))}
                error={errors[column.name]}
                isRequired
              />
            ))}
          </>
        )}
      </Form>
    </Dialog>
  );
}
