import { useEffect, useRef, useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { counted, formatNumber } from '../../core/format.ts';
import { useLoad, useRepeat } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { href, navigate, type ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import type { Group } from '../users/user-data.ts';
import {
  type ClassRecord,
  fetchClass,
  type MigrationRecord,
  readClasses,
  readMigration,
  userProfileClass,
} from './class-data.ts';
import { ClassEditor } from './class-editor.tsx';

interface Known {
  /** Undefined for a new class. */
  readonly record: ClassRecord | undefined;
  readonly targets: readonly string[];
  readonly groups: readonly Group[];
}

/** The fields and rights of a class, or of a new one. */
export function Screen({ names: { instance = '', class: name } }: ScreenProps) {
  const known = useLoad<Known>(async () => {
    const [record, classes, groups] = await Promise.all([
      name === undefined ? undefined : fetchClass(instance, name),
      readClasses(instance),
      readAll<Group>(at`instances/${instance}/groups/`),
    ]);
    return { record, targets: classes.map((each) => each.name), groups };
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
  return (
    <ScreenFrame
      title={name === undefined ? 'New class' : `Structure of ${name}`}
      above={[{ text: 'Classes', href: href(at`/i/${instance}/data`) }]}
      actions={
        name !== undefined && (
          <a class="button" href={href(at`/i/${instance}/data/${name}`)}>
            Objects
          </a>
        )
      }
    >
      <LoadedData of={known}>
        {({ record, targets, groups }) => (
          <>
            {isMigrating && <Migration of={progress} />}
            <fieldset class="bare" disabled={isMigrating}>
              <ClassEditor
                key={`${record?.revision} ${record?.updated_at}`}
                instance={instance}
                record={record}
                targets={targets}
                groups={groups}
                onSaved={(saved) => {
                  if (name === undefined) navigate(at`/i/${instance}/structure/${saved.name}`);
                  else if (data !== undefined) setData({ ...data, record: saved });
                }}
              />
            </fieldset>
            {record !== undefined && record.name !== userProfileClass && !isMigrating && (
              <section class="card">
                <h2>Delete</h2>
                <p class="about">Its objects and their files are gone at once.</p>
                <Button
                  class="danger"
                  onAct={() => remove(instance, record)}
                  text="Delete the class…"
                />
              </section>
            )}
          </>
        )}
      </LoadedData>
    </ScreenFrame>
  );
}

function Migration({ of }: { readonly of: MigrationRecord | undefined }) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => card.current?.scrollIntoView({ block: 'nearest' }), []); // the button to save is far below
  return (
    <div class="card" ref={card}>
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

async function remove(instance: string, { name, objects_count }: ClassRecord): Promise<void> {
  const isSure = await confirm({
    title: `Delete the class ${name}`,
    text: `${counted(objects_count, 'object')}, data endpoints and triggers are deleted with it. This cannot be undone.`,
    verb: 'Delete the class',
    name,
  });
  if (!isSure) return;
  await send({ method: 'DELETE', path: at`instances/${instance}/classes/${name}/` });
  notify(`Deleted the class ${name}.`);
  navigate(at`/i/${instance}/data`);
}
