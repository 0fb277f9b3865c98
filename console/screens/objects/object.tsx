import { useMemo } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { place as current, href, navigate, setQuery } from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ViewButtons } from '../../parts/view-buttons.tsx';
import { type ClassRecord, readClass } from '../data/class-data.ts';
import { ObjectForm } from './edit/object-form.tsx';
import { ObjectJson } from './edit/object-json.tsx';
import {
  columnsOf,
  type DataObject,
  type ObjectsPlace,
  objectPath,
  objectPlace,
  readObject,
  valueText,
} from './object-data.ts';

/** An object, or the form for a new one. */
export function Screen({ names }: ScreenProps) {
  const { instance = '', class: className = '', id = '' } = names;
  const place = { instance, className };
  const isNew = id === ''; // the place of a new one has no id
  const loaded = useLoad(
    async (signal) => {
      const record = await readClass(instance, className);
      const object = isNew ? undefined : await readObject(place, Number(id), { signal });
      return { record, object };
    },
    [instance, className, id],
  );
  const remove = async (object: DataObject, { name }: ClassRecord) => {
    const text = 'It cannot be brought back: an object made anew has another id.';
    const title = `Delete object ${object.id} of ${name}?`;
    const isSure = await confirm({ title, text, verb: 'Delete', name: String(object.id) });
    if (!isSure) return;
    await send({ method: 'DELETE', path: objectPath(place, object.id) });
    notify(`Object ${object.id} is deleted.`);
    navigate(at`/i/${instance}/data/${className}`);
  };
  return (
    <Page
      title={isNew ? `New object of ${className}` : `${className} ${id}`}
      above={[
        { text: instance, href: href(at`/i/${instance}`) },
        { text: className, href: href(at`/i/${instance}/data/${className}`) },
      ]}
      actions={
        loaded.data?.object !== undefined && (
          <DangerButton
            of={loaded}
            verb="Delete"
            onAct={async ({ object, record }) => object && remove(object, record)}
          />
        )
      }
    >
      <Loaded of={loaded}>
        {({ record, object }) => (
          <Views
            record={record}
            object={object}
            place={place}
            onSaved={(saved) => {
              if (isNew) navigate(objectPlace(place, saved.id));
              else loaded.setData({ record, object: saved });
            }}
          />
        )}
      </Loaded>
    </Page>
  );
}

interface ViewsProps {
  readonly record: ClassRecord;
  readonly object: DataObject | undefined;
  readonly place: ObjectsPlace;
  readonly onSaved: (object: DataObject) => void;
}

function Views({ record, object, place, onSaved }: ViewsProps) {
  const columns = useMemo(() => columnsOf(record), [record]);
  const isJson = object !== undefined && current.value.query.get('view') === 'json';
  return (
    <>
      {object !== undefined && (
        <>
          <dl class="facts">
            {columns
              .filter(({ name }) => facts.includes(name))
              .map((column) => (
                <>
                  <dt>{column.name}</dt>
                  <dd>{valueText(column, object[column.name]) || '–'}</dd>
                </>
              ))}
          </dl>
          <ViewButtons
            isJson={isJson}
            onForm={() => setQuery({ view: undefined })}
            onJson={() => setQuery({ view: 'json' })}
          />
        </>
      )}
      {isJson ? (
        <ObjectJson
          key={object.revision}
          place={place}
          columns={columns}
          object={object}
          onSaved={onSaved}
        />
      ) : (
        <ObjectForm place={place} columns={columns} object={object} onSaved={onSaved} />
      )}
    </>
  );
}

const facts = ['id', 'created_at', 'updated_at', 'revision', 'channel', 'channel_room'];
