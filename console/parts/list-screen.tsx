import type { ComponentChildren, FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { send } from '../core/api.ts';
import type { LoadState } from '../core/load.ts';
import { itemPlace, type RecordType } from '../core/record-type.ts';
import { href, navigate } from '../core/router.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import type { NewItemProps } from './draft-form.tsx';
import { Empty, LoadedData } from './loaded.tsx';
import { ScreenFrame } from './page.tsx';
import { PageButtons, type Paged } from './paged.tsx';
import { Table, type TableColumn } from './table.tsx';

/** Props of a component that shows the records of a list. */
export interface ItemsProps<Item> {
  readonly instance: string;
  readonly items: readonly Item[];
}

interface ListScreenProps<Item> {
  readonly of: RecordType<NoInfer<Item>>;
  /** Absent: the list is one of the account. */
  readonly instance?: string;
  readonly list: LoadState<readonly Item[]> | Paged<Item>;
  /** One sentence below the heading. */
  readonly about: string;
  /** Links and buttons before the one for a new record. */
  readonly actions?: ComponentChildren;
  /** The form for a new record; it is shown in a dialog. */
  readonly form: FunctionComponent<NewItemProps>;
  /** The request for a new record has a secret: it is not shown in the API panel. */
  readonly isQuiet?: boolean;
  /** Called when a record was made; absent: its screen is opened. */
  readonly onMade?: (item: Item) => void;
  /** Is shown above the list. */
  readonly note?: ComponentChildren;
  /** Is shown when there are no records: a sentence, with the button for a new one below it; or something else. */
  readonly empty?: string | ((add: ComponentChildren) => ComponentChildren) | undefined;
  /** Columns of the table. */
  readonly columns?: readonly TableColumn<Item>[];
  /** Shows the records instead of a table with `columns`. */
  readonly table?: FunctionComponent<ItemsProps<Item>>;
}

/** The screen of a list, with a dialog for another record. */
export function ListScreen<Item>(props: ListScreenProps<Item>) {
  const { of, instance = '', list, actions, empty } = props;
  const { columns = [], table: Items } = props;
  const [isAdding, setAdding] = useState(false);
  const add = <Button class="main" onAct={() => setAdding(true)} text={`New ${of.noun}`} />;
  const create = async (body: object) => {
    const { isQuiet = false, onMade } = props;
    const item = await send<Item>({ method: 'POST', path: of.path(instance), body, isQuiet });
    if (onMade === undefined) return navigate(itemPlace(of, instance, item));
    setAdding(false);
    onMade(item);
  };
  return (
    <ScreenFrame
      title={of.title}
      about={props.about}
      actions={
        <>
          {actions}
          {add}
        </>
      }
    >
      {props.note}
      <LoadedData of={list}>
        {(items) => {
          if (items.length === 0 && empty !== undefined) return showEmpty(empty, add);
          if (Items !== undefined) return <Items instance={instance} items={items} />;
          return <Table caption={of.title} columns={columns} rows={items} keyOf={of.keyOf} />;
        }}
      </LoadedData>
      {'pages' in list && <PageButtons of={list} />}
      {isAdding && (
        <Dialog title={`New ${of.noun}`} onClose={() => setAdding(false)}>
          <props.form instance={instance} onSend={create} onCancel={() => setAdding(false)} />
        </Dialog>
      )}
    </ScreenFrame>
  );
}

function showEmpty(empty: NonNullable<ListScreenProps<unknown>['empty']>, add: ComponentChildren) {
  if (typeof empty === 'function') return empty(add);
  return (
    <Empty>
      <p>{empty}</p>
      {add}
    </Empty>
  );
}

/** Returns the first column of a list: the name of each record, as a link to its screen. */
export function linkColumn<Item>(of: RecordType<Item>, instance: string, name = 'Name') {
  return {
    name,
    cell: (item: Item) => <a href={href(itemPlace(of, instance, item))}>{of.nameOf(item)}</a>,
  };
}
