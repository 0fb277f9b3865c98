import { useMemo } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import {
  currentLocation as current,
  href,
  navigate,
  type ScreenProps,
  setQuery,
} from '../../core/router.ts';
import { DangerButton } from '../../parts/danger-button.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { ViewButtons } from '../../parts/view-buttons.tsx';
import { type ClassRecord, fetchClass } from '../data/class-data.ts';
import { ObjectFields } from './edit/object-form.tsx';
import { ObjectJson } from './edit/object-json.tsx';
import {
  type ClassReference,
  columnsOf,
  type ObjectRecord,
  objectLocation,
  objectPath,
  readObject,
  valueText,
} from './object-data.ts';

/** An object, or the form for a new one. */
export function Screen({ names: { instance = '', class: className = '', id = '' } }: ScreenProps) {
  const ofClass = { instance, className };
  const isNew = id === ''; // the place of a new one has no id
  const loaded = useLoad(
    async (signal) => {
      const record = await fetchClass(instance, className);
      const object = isNew ? undefined : await readObject(ofClass, Number(id), { signal });
      return { record, object };
    },
    [instance, className, id],
  );
  const remove = async (object: ObjectRecord, { name }: ClassRecord) => {
    const text = 'It cannot be brought back: an object made anew has another id.';
    const title = `Delete object ${object.id} of ${name}?`;
    const isSure = await confirm({ title, text, verb: 'Delete', name: String(object.id) });
    if (!isSure) return;
    await send({ method: 'DELETE', path: objectPath(ofClass, object.id) });
    notify(`Object ${object.id} is deleted.`);
    navigate(at`/i/${instance}/data/${className}`);
  };
  return (
    <ScreenFrame
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
      <LoadedData of={loaded}>
        {({ record, object }) => (
          <Views
            record={record}
            object={object}
            ofClass={ofClass}
            onSaved={(saved) => {
              if (isNew) navigate(objectLocation(ofClass, saved.id));
              else loaded.setData({ record, object: saved });
            }}
          />
        )}
      </LoadedData>
    </ScreenFrame>
  );
}

interface ViewsProps {
  readonly record: ClassRecord;
  readonly object: ObjectRecord | undefined;
  readonly ofClass: ClassReference;
  readonly onSaved: (object: ObjectRecord) => void;
}

function Views({ record, object, ofClass, onSaved }: ViewsProps) {
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
          ofClass={ofClass}
          columns={columns}
          object={object}
          onSaved={onSaved}
        />
      ) : (
        <ObjectFields ofClass={ofClass} columns={columns} object={object} onSaved={onSaved} />
      )}
    </>
  );
}

const facts = ['id', 'created_at', 'updated_at', 'revision', 'channel', 'channel_room'];
