import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { counted, formatNumber } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { currentLocation, href, type ScreenProps, setQuery } from '../../core/router.ts';
import { AddLink, Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { type ClassRecord, readClasses } from './class-data.ts';

const shownAtOnce = 200; // rows; more make the screen slow

/** The classes of an instance. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const classes = useLoad(() => readClasses(instance), [instance]);
  const add = (
    <AddLink
      sends={{ method: 'POST', path: at`instances/${instance}/classes/` }}
      href={href(at`/i/${instance}/structure`)}
      text="New class"
    />
  );
  return (
    <ScreenFrame
      title="Classes"
      about="A class describes objects of one kind, such as books: their fields, and who may use them."
      actions={add}
    >
      <LoadedData of={classes}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>There are no classes yet. Create one to store objects.</p>
              {add}
            </Empty>
          ) : (
            <ClassList instance={instance} all={all} />
          )
        }
      </LoadedData>
    </ScreenFrame>
  );
}

interface ClassListProps {
  readonly instance: string;
  readonly all: readonly ClassRecord[];
}

function ClassList({ instance, all }: ClassListProps) {
  const [shown, setShown] = useState(shownAtOnce);
  const filter = currentLocation.value.query.get('name') ?? '';
  const found = all.filter(({ name }) => name.includes(filter.trim().toLowerCase()));
  const rest = found.length - shown;
  return (
    <>
      <div class="narrow">
        <TextField
          label="Filter by name"
          value={filter}
          onValue={(name) => {
            setQuery({ name });
            setShown(shownAtOnce);
          }}
          input={{ type: 'search', autocomplete: 'off', spellcheck: false }}
        />
      </div>
      <p role="status" class="soft">
        {filter !== '' && `${formatNumber(found.length)} of `}
        {counted(all.length, 'class', 'classes')}
      </p>
      {found.length > 0 && (
        <Table
          caption="Classes"
          columns={columnsOf(instance)}
          rows={found.slice(0, shown)}
          keyOf={({ name }) => name}
        />
      )}
      {rest > 0 && (
        <Button
          onAct={() => setShown(shown + shownAtOnce)}
          text={`Show ${Math.min(rest, shownAtOnce)} more`}
        />
      )}
    </>
  );
}

function columnsOf(instance: string): readonly TableColumn<ClassRecord>[] {
  return [
    {
      name: 'Name',
      cell: ({ name, status }) => (
        <>
          <a href={href(at`/i/${instance}/data/${name}`)} aria-label={`Objects of ${name}`}>
            {name}
          </a>{' '}
          {status === 'migrating' && <span class="badge">Building indexes</span>}
        </>
      ),
    },
    { name: 'Description', cell: ({ description }) => description },
    {
      name: 'Objects',
      cell: ({ objects_count }) => formatNumber(objects_count),
      isNumber: true,
    },
    { name: 'Fields', cell: ({ schema }) => schema.length, isNumber: true },
  ];
}
