import type { FunctionComponent } from 'preact';
import { useList } from '../core/load.ts';
import type { RecordType } from '../core/record-type.ts';
import type { Parameters } from '../core/request.ts';
import type { ScreenProps } from '../core/router.ts';
import { Card } from './card.tsx';
import type { ItemFormProps } from './draft-form.tsx';
import { type DeletionQuestion, ItemScreen, type LoadedItem, useItem } from './item-screen.tsx';
import { type ItemsProps, ListScreen } from './list-screen.tsx';
import { usePages } from './paged.tsx';
import { type FormField, RecordForm } from './record-form.tsx';
import { Table, type TableColumn } from './table.tsx';

/** A record that is loaded, for the parts of its screen. */
export interface ItemPartProps<Item> {
  readonly of: LoadedItem<Item>;
  readonly item: Item;
}

/** Declares the list of a kind of records, the form for one, and the screen of one. */
interface ScreenDefinition<Item> {
  readonly type: RecordType<Item>;
  /** One sentence below the heading of the list. */
  readonly about: string;
  /** Says that there are none yet. */
  readonly empty?: string;
  /** Of the request for the list. */
  readonly query?: Parameters;
  /** The list is read page by page; absent: as a whole. */
  readonly pageSize?: number;
  /** Is shown above the list. */
  readonly note?: FunctionComponent<{ readonly instance: string }>;
  /** The columns of the list; may use hooks. */
  readonly columns: (props: ItemsProps<Item>) => readonly TableColumn<Item>[];
  /** The fields of a record, or a form of its own. */
  readonly form: readonly FormField[] | FunctionComponent<ItemFormProps<Item>>;
  readonly isNamed?: boolean;
  /** Returns what is asked before a record is deleted; a text has nothing to type. Undefined: it cannot be deleted. */
  readonly remove: (item: Item) => string | DeletionQuestion | undefined;
  /** Is shown above the form of a record. */
  readonly before?: FunctionComponent<ItemPartProps<Item>>;
  /** Takes the place of the form of a record. */
  readonly editor?: FunctionComponent<ItemPartProps<Item>>;
  /** Is shown below the form of a record. */
  readonly after?: FunctionComponent<ItemPartProps<Item>>;
}

/** Makes the screen of a list and of its records: without an id or name in the place it is the list. */
export function defineScreen<Item extends object>(definition: ScreenDefinition<Item>) {
  const { type, columns } = definition;
  const Form = formOf(definition);
  const Items = (props: ItemsProps<Item>) => (
    <Table caption={type.title} columns={columns(props)} rows={props.items} keyOf={type.keyOf} />
  );
  return function Screen({ names: { instance = '', id, name } }: ScreenProps) {
    const key = id ?? name;
    const parts = { definition, Form, instance };
    return key === undefined ? <List {...parts} Items={Items} /> : <One {...parts} itemKey={key} />;
  };
}

type FormOf<Item> = FunctionComponent<ItemFormProps<Item>>;

function formOf<Item extends object>({
  form,
  type: { noun },
}: ScreenDefinition<Item>): FormOf<Item> {
  if (typeof form === 'function') return form;
  return (props) => <RecordForm fields={form} noun={noun} {...props} />;
}

interface PartProps<Item> {
  readonly definition: ScreenDefinition<Item>;
  readonly Form: FormOf<Item>;
  readonly instance: string;
}

interface ListProps<Item> extends PartProps<Item> {
  readonly Items: FunctionComponent<ItemsProps<Item>>;
}

function List<Item extends object>({ definition, Form, Items, instance }: ListProps<Item>) {
  const { type, about, empty, query = {}, pageSize, note: Note } = definition;
  const path = type.path(instance);
  const list =
    pageSize === undefined
      ? useList<Item>(path, query)
      : usePages<Item>(path, { ...query, page_size: pageSize }); // the same hook for each screen
  return (
    <ListScreen
      of={type}
      instance={instance}
      list={list}
      about={about}
      note={Note && <Note instance={instance} />}
      empty={empty}
      form={Form}
      table={Items}
    />
  );
}

interface OneProps<Item> extends PartProps<Item> {
  readonly itemKey: string;
}

function One<Item extends object>({ definition, Form, instance, itemKey }: OneProps<Item>) {
  const { type, isNamed = false, remove } = definition;
  const { before: Before, editor: Editor, after: After } = definition;
  const item = useItem<Item>(type, instance, itemKey);
  const question = (data: Item) => {
    const asked = remove(data);
    return typeof asked === 'string' ? { text: asked } : asked;
  };
  return (
    <ItemScreen
      of={item}
      unloadedTitle={isNamed ? itemKey : `${type.noun} ${itemKey}`}
      isNamed={isNamed}
      deletion={question}
    >
      {(data) => {
        const part = { of: item, item: data };
        return (
          <>
            {Before && <Before {...part} />}
            {Editor ? (
              <Editor {...part} />
            ) : (
              <Card title="Settings" id="settings">
                <Form instance={instance} item={data} onSend={item.save} />
              </Card>
            )}
            {After && <After {...part} />}
          </>
        );
      }}
    </ItemScreen>
  );
}
