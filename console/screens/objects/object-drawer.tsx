import { finishDelayed } from '../../core/delayed.ts';
import { useLoad } from '../../core/load.ts';
import { attempt } from '../../core/notices.ts';
import { currentLocation, dropGuards, href, openInstead, returnTo } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { ObjectForm } from './edit/object-form.tsx';
import type { LoadedRow } from './grid/rows.ts';
import {
  bareValue,
  type ClassReference,
  gridLocation,
  gridQuery,
  nameFields,
  type ObjectColumn,
  type ObjectRecord,
  objectLocation,
  objectPath,
  readObject,
} from './object-data.ts';

interface ObjectDrawerProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  /** Undefined: the form for a new one. */
  readonly id: number | undefined;
  /** Rows of the grid, to go to the objects before and after. */
  readonly rows: readonly LoadedRow[];
  /** An object is saved, or a new one is created. */
  readonly onSaved: (object: ObjectRecord) => void;
  readonly onDelete: (id: number) => void;
}

/** An object, or the form for a new one, over the grid. */
export function ObjectDrawer({ ofClass, columns, id, rows, onSaved, onDelete }: ObjectDrawerProps) {
  const loaded = useLoad(
    async (signal) => {
      if (id === undefined) return { object: undefined };
      await finishDelayed(objectPath(ofClass, id)); // a deletion: else it could be changed before
      return { object: await readObject(ofClass, id, { signal }) };
    },
    [id],
  );
  const { query } = currentLocation.value;
  const isJson = query.get('view') === 'json';
  const close = () => returnTo(gridLocation(ofClass), gridQuery());
  const save = (object: ObjectRecord) => {
    onSaved(object);
    if (id !== undefined) return loaded.setData({ object });
    dropGuards(gridLocation(ofClass));
    attempt(close); // the grid shows the new one
  };
  const remove = async (object: ObjectRecord) => {
    onDelete(object.id);
    dropGuards(gridLocation(ofClass));
    await close();
  };
  return (
    <Drawer
      title={id === undefined ? 'New object' : titleOf(columns, loaded.data?.object, id)}
      actions={id !== undefined && <Neighbours {...{ ofClass, id, rows }} />}
      onClose={close}
    >
      <LoadedData of={loaded}>
        {({ object }) => (
          <>
            {object !== undefined && <Facts ofClass={ofClass} object={object} />}
            <ObjectForm
              key={`${id} ${isJson}`}
              {...{ ofClass, columns, object }}
              isJson={object !== undefined && isJson}
              focused={id === undefined ? '' : (query.get('field') ?? undefined)}
              actions={
                object && (
                  <Button
                    class="danger"
                    sends={{ method: 'DELETE', path: objectPath(ofClass, object.id) }}
                    onAct={() => remove(object)}
                    text="Delete"
                  />
                )
              }
              onSaved={save}
            />
          </>
        )}
      </LoadedData>
    </Drawer>
  );
}

/** Returns what people call an object, or its id. */
function titleOf(columns: readonly ObjectColumn[], object: ObjectRecord | undefined, id: number) {
  const names = nameFields(columns.filter(({ isSystem }) => !isSystem));
  const text = names.map((name) => object?.[name]).find((value) => value);
  return typeof text === 'string' ? text : `#${id}`;
}

interface NeighboursProps extends Pick<ObjectDrawerProps, 'ofClass' | 'rows'> {
  readonly id: number;
}

/** Buttons for the rows before and after. */
function Neighbours({ ofClass, rows, id }: NeighboursProps) {
  const index = rows.findIndex(({ object }) => object.id === id);
  const button = (name: 'previous' | 'next', row: LoadedRow | undefined) => (
    <Button
      class="icon"
      icon={name}
      aria-label={name === 'next' ? 'Next object' : 'Previous object'}
      disabled={row === undefined}
      onAct={() => row && openInstead(objectLocation(ofClass, row.object.id), gridQuery())}
    />
  );
  return (
    <>
      {button('previous', rows[index - 1])}
      {button('next', index < 0 ? undefined : rows[index + 1])}
    </>
  );
}

interface FactsProps extends Pick<ObjectDrawerProps, 'ofClass'> {
  readonly object: ObjectRecord;
}

/** What the server has noted of an object, and the ways to see it. */
function Facts({ ofClass, object }: FactsProps) {
  const { id, created_at, updated_at, revision, channel, channel_room } = object;
  const isJson = currentLocation.value.query.get('view') === 'json';
  const place = objectLocation(ofClass, id);
  return (
    <>
      <p class="soft">
        #{id} · created <Time value={timeOf(created_at)} /> · updated{' '}
        <Time value={timeOf(updated_at)} /> · revision {revision}
        {typeof channel === 'string' && ` · channel ${channel} ${channel_room ?? ''}`}
      </p>
      <Tabs
        label="Ways to edit"
        tabs={[
          { text: 'Form', href: href(place, gridQuery()), isCurrent: !isJson },
          { text: 'JSON', href: href(place, { ...gridQuery(), view: 'json' }), isCurrent: isJson },
        ]}
      />
    </>
  );
}

function timeOf(value: unknown): string | undefined {
  const bare = bareValue(value);
  return typeof bare === 'string' ? bare : undefined;
}
