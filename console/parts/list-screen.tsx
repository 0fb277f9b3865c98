import type { ComponentChildren, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { send } from '../core/api.ts';
import { useList } from '../core/load.ts';
import { notify } from '../core/notices.ts';
import { itemPlace, type RecordType } from '../core/record-type.ts';
import type { Parameters } from '../core/request.ts';
import { refusalOf } from '../core/roles.ts';
import { currentLocation, href, navigate, type ScreenProps, setQuery } from '../core/router.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Empty, LoadedData } from './loaded.tsx';
import { ScreenFrame } from './page.tsx';
import { PageButtons, usePages } from './paged.tsx';
import { type FormDefinition, formOf } from './record-form.tsx';
import { Table, type TableColumn } from './table.tsx';

/** Props of a component that shows the records of a list. */
export interface ItemsProps<Item> {
  readonly instance: string;
  readonly items: readonly Item[];
  /** Loads the list again. */
  readonly reload: () => void;
}

/** Declares the list of a kind of records, and the form for a new one. */
export interface ListDefinition<Item> {
  readonly type: RecordType<NoInfer<Item>>;
  /** One sentence below the heading. */
  readonly about: string;
  /** Is shown when there are no records: a sentence, with the button for a new one below it; or something else. */
  readonly empty?: string | ((add: ComponentChildren) => ComponentChildren);
  /** Returns the query of the request for the list. */
  readonly query?: () => Parameters;
  /** The list is read page by page; absent: as a whole. */
  readonly pageSize?: number;
  /** Links before the button for a new record. */
  readonly actions?: ComponentChildren;
  /** Is shown above the list. */
  readonly note?: FunctionComponent<{ readonly instance: string }>;
  /** The columns of the table; may use hooks. */
  readonly columns?: (props: ItemsProps<Item>) => readonly TableColumn<Item>[];
  /** Shows the records instead of a table with `columns`. */
  readonly table?: FunctionComponent<ItemsProps<Item>>;
  /** Is shown below the list. */
  readonly below?: FunctionComponent<{ readonly instance: string }>;
  /** Is shown in a dialog; absent: the list has no button for a new record. */
  readonly form?: FormDefinition<Item>;
  /** Returns what the form says of a new record, with what it does not ask for. */
  readonly complete?: (body: object) => object;
  /** The request for a new record has a secret: it is not shown in the API panel. */
  readonly isQuiet?: boolean;
  /** Says that a record was created, where records have no screens; absent: its screen is opened. */
  readonly made?: string;
}

/** Makes the screen of a list, with a dialog for a new record. */
export function defineList<Item extends object>(definition: ListDefinition<Item>) {
  const { type, about, query = () => ({}), pageSize, note: Note, below: Below, empty } = definition;
  const { form } = definition;
  const Add = form && defineAddButton({ ...definition, form });
  const Items = definition.table ?? tableOf(definition);
  return function List({ names: { instance = '' } }: ScreenProps) {
    const path = type.path(instance);
    const list =
      pageSize === undefined
        ? useList<Item>(path, query())
        : usePages<Item>(path, { ...query(), page_size: pageSize }); // the same hook for each screen
    const { reload } = list;
    const isAsked = currentLocation.peek().query.has('form');
    const add = Add && <Add instance={instance} reload={reload} />;
    return (
      <ScreenFrame
        title={type.title}
        about={about}
        actions={
          <>
            {definition.actions}
            {Add && <Add instance={instance} reload={reload} isOpen={isAsked} />}
          </>
        }
      >
        {Note && <Note instance={instance} />}
        <LoadedData of={list}>
          {(items) =>
            items.length === 0 && empty !== undefined ? (
              showEmpty(empty, add)
            ) : (
              <Items {...{ instance, items, reload }} />
            )
          }
        </LoadedData>
        {'pages' in list && <PageButtons of={list} />}
        {Below && <Below instance={instance} />}
      </ScreenFrame>
    );
  };
}

function tableOf<Item>({ type, columns = () => [] }: ListDefinition<Item>) {
  return (props: ItemsProps<Item>) => (
    <Table caption={type.title} columns={columns(props)} rows={props.items} keyOf={type.keyOf} />
  );
}

interface AddButtonProps extends Omit<ItemsProps<never>, 'items'> {
  readonly class?: string;
  /** The form is open at first: its link was followed (`hrefOfForm`). */
  readonly isOpen?: boolean;
}

/** Makes the button that opens the form for a new record. */
export function defineAddButton<Item extends object>(
  definition: Pick<ListDefinition<Item>, 'type' | 'complete' | 'isQuiet' | 'made'> & {
    readonly form: FormDefinition<Item>;
  },
) {
  const { type, form, complete = (body) => body, isQuiet = false, made } = definition;
  const Form = formOf(form, type.noun);
  const text = `New ${type.noun}`;
  return function Add({ instance, reload, class: look = 'main', isOpen = false }: AddButtonProps) {
    const [isAdding, setAdding] = useState(isOpen);
    useEffect(() => {
      if (isOpen) setQuery({ form: undefined }); // a step back does not open it again
    }, []);
    const close = () => setAdding(false);
    const sends = { method: 'POST', path: type.path(instance) } as const;
    const create = async (typed: object) => {
      const item = await send<Item>({ ...sends, body: complete(typed), isQuiet });
      if (made === undefined) return navigate(itemPlace(type, instance, item));
      close();
      notify(made);
      reload();
    };
    return (
      <>
        <Button class={look} sends={sends} onAct={() => setAdding(true)} text={text} />
        {isAdding && refusalOf(sends) === undefined && (
          <Dialog title={text} onClose={close}>
            <Form instance={instance} onSend={create} onCancel={close} />
          </Dialog>
        )}
      </>
    );
  };
}

function showEmpty(empty: NonNullable<ListDefinition<object>['empty']>, add: ComponentChildren) {
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
