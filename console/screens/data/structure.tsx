import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { noteChangedClasses, readClassNames } from '../../core/class-names.ts';
import { confirm } from '../../core/confirm.ts';
import { counted, formatNumber } from '../../core/format.ts';
import { useLoad, useRepeat } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { refusalOf } from '../../core/roles.ts';
import { href, leaveTo, navigate, type ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import {
  type ClassRecord,
  classPath,
  fetchClass,
  type MigrationRecord,
  readMigration,
  userProfileClass,
} from './class-data.ts';
import { ClassEditor } from './class-editor.tsx';
import { ClassFrame } from './class-frame.tsx';

/** The fields of a class, or of a new one. */
export function Screen({ names: { instance = '', class: name } }: ScreenProps) {
  if (name !== undefined) {
    return (
      <ClassFrame instance={instance} name={name} tab="Structure">
        <Structure instance={instance} name={name} />
      </ClassFrame>
    );
  }
  return (
    <ScreenFrame
      title="New class"
      above={[{ text: 'Classes', href: href(at`/i/${instance}/data`) }]}
    >
      <Structure instance={instance} name={undefined} />
    </ScreenFrame>
  );
}

interface StructureProps {
  readonly instance: string;
  /** Undefined for a new class. */
  readonly name: string | undefined;
}

function Structure({ instance, name }: StructureProps) {
  const known = useLoad(async () => {
    const [record, targets] = await Promise.all([
      name === undefined ? undefined : fetchClass(instance, name),
      readClassNames(instance),
    ]);
    return { record, targets };
  }, [instance, name]);
  const { data, setData } = known;
  const [progress, setProgress] = useState<MigrationRecord>();
  const isMigrating = data?.record?.status === 'migrating';
  const look = async () => {
    if (data === undefined || name === undefined) return;
    const now = await readMigration(instance, name);
    setProgress(now);
    if (now.status === 'ready') setData({ ...data, record: await fetchClass(instance, name) });
  };
  useRepeat(() => attempt(look), 1_000, isMigrating);
  const show = (record: ClassRecord) => {
    if (name === undefined) return navigate(at`/i/${instance}/data/${record.name}`);
    if (data !== undefined) setData({ ...data, record });
    window.scrollTo(0, 0); // to what is said about a migration
  };
  return (
    <LoadedData of={known}>
      {({ record, targets }) => (
        <>
          {isMigrating && <Migration of={progress} />}
          <fieldset class="bare" disabled={isMigrating}>
            <ClassEditor
              key={`${record?.revision} ${record?.updated_at}`}
              instance={instance}
              record={record}
              targets={targets}
              onSaved={show}
            />
          </fieldset>
          {record !== undefined && !isMigrating && <DeleteClass {...{ instance, record }} />}
        </>
      )}
    </LoadedData>
  );
}

function Migration({ of }: { readonly of: MigrationRecord | undefined }) {
  return (
    <div class="card">
      <p role="status">
        Indexes are being built or removed. Objects can be read and written; the class can be
        changed when this has finished.
      </p>
      <progress
        aria-label="Objects with their indexes"
        max={of?.objects_count}
        value={of?.objects_done}
      />
      {of && ` ${formatNumber(of.objects_done)} of ${counted(of.objects_count, 'object')}`}
    </div>
  );
}

interface DeleteClassProps {
  readonly instance: string;
  readonly record: ClassRecord;
}

function DeleteClass({ instance, record }: DeleteClassProps) {
  const sends = { method: 'DELETE', path: classPath(instance, record.name) } as const;
  if (record.name === userProfileClass || refusalOf(sends) !== undefined) return null;
  return (
    <Card title="Delete class">
      <p class="about">Its objects and their files are deleted with it.</p>
      <Button class="danger" onAct={() => remove(instance, record)} text="Delete class…" />
    </Card>
  );
}

async function remove(instance: string, { name, objects_count }: ClassRecord): Promise<void> {
  const isSure = await confirm({
    title: `Delete the class ${name}?`,
    text: `${counted(objects_count, 'object')}, data endpoints and triggers are deleted with it. This cannot be undone.`,
    verb: 'Delete class',
    name,
  });
  if (!isSure) return;
  await send({ method: 'DELETE', path: classPath(instance, name) });
  noteChangedClasses();
  notify(`The class ${name} is deleted.`);
  leaveTo(at`/i/${instance}/data`);
}
