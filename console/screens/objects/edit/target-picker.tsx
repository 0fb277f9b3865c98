import { useState } from 'preact/hooks';
import { at, type RequestPath } from '../../../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../../../core/api.ts';
import { useLoad } from '../../../core/load.ts';
import type { Parameters } from '../../../core/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { SelectField, TextField } from '../../../parts/form.tsx';
import { LoadedData } from '../../../parts/loaded.tsx';
import { fetchClass } from '../../data/class-data.ts';
import { nameFields, objectsPath } from '../object-data.ts';

interface TargetPickerProps {
  readonly title: string;
  readonly instance: string;
  /** Undefined: users. */
  readonly className: string | undefined;
  readonly onPick: (id: number) => void | Promise<void>;
  readonly onClose: () => void;
}

const shown = 20;
const maxLabels = 2; // fields that name an object

/** Finds an object that a value can refer to: by its id, or by the start of an indexed text. */
export function TargetPicker(props: TargetPickerProps) {
  const { title, instance, className, onPick, onClose } = props;
  const target = useLoad(
    async () => (className === undefined ? undefined : fetchClass(instance, className)),
    [className],
  );
  return (
    <Dialog title={title} onClose={onClose}>
      {className === undefined ? (
        <Search path={at`instances/${instance}/users/`} labels={['username']} onPick={onPick} />
      ) : (
        <LoadedData of={target}>
          {(record) => {
            const strings = record?.schema.filter(({ type }) => type === 'string') ?? [];
            const searched = strings.filter((each) => each.filter_index || each.unique);
            return (
              <Search
                path={objectsPath({ instance, className })}
                labels={nameFields(strings).slice(0, maxLabels)}
                fields={searched.map(({ name }) => name)}
                onPick={onPick}
              />
            );
          }}
        </LoadedData>
      )}
    </Dialog>
  );
}

interface SearchProps extends Pick<TargetPickerProps, 'onPick'> {
  readonly path: RequestPath;
  readonly labels: readonly string[];
  /** Indexed texts of a class; absent for users. */
  readonly fields?: readonly string[];
}

type Found = Readonly<Record<string, unknown>> & { readonly id: number };

function Search({ path, labels, fields, onPick }: SearchProps) {
  const choices = [...(fields ?? ['username']), 'id'];
  const [field, setField] = useState(choices[0] ?? 'id');
  const [text, setText] = useState('');
  const found = useLoad(
    (signal) => {
      const query = { ...searchParameters(field, text, fields === undefined), page_size: shown };
      const projection = { fields: ['id', ...labels].join(',') };
      return send<ApiPage<Found>>({
        method: 'GET',
        path,
        query: { ...query, ...projection },
        signal,
      });
    },
    [field, text],
  );
  return (
    <div class="stack">
      <div class="row">
        <SelectField
          label="Search by"
          value={field}
          onValue={setField}
          options={choices.map((name) => [name, name])}
        />
        <TextField label={field === 'id' ? 'Id' : 'Starts with'} value={text} onValue={setText} />
      </div>
      <LoadedData of={found}>
        {({ objects }) => (
          <ul class="plain">
            {objects.map((each) => (
              <li key={each.id}>
                <Button
                  class="link"
                  onAct={() => onPick(each.id)}
                  text={`#${each.id} ${labels.map((name) => String(each[name] ?? '')).join(' · ')}`}
                />
              </li>
            ))}
            {objects.length === 0 && <li class="soft">Nothing found.</li>}
          </ul>
        )}
      </LoadedData>
    </div>
  );
}

function searchParameters(field: string, text: string, isUsers: boolean): Parameters {
  const isId = field === 'id' && /^\d+$/.test(text);
  if (isUsers) {
    if (isId) return { last_pk: Number(text) - 1, direction: 1 };
    return text === '' || field === 'id' ? {} : { username__startswith: text.toLowerCase() };
  }
  if (isId) return { query: JSON.stringify({ id: { _eq: Number(text) } }) };
  if (text === '' || field === 'id') return {};
  return { query: JSON.stringify({ [field]: { _startswith: text } }) };
}
