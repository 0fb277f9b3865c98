import type { FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { below, type RequestPath } from '../../shared/values/text/request-path.ts';
import { send } from '../core/api.ts';
import { type ConfirmQuestion, confirm } from '../core/confirm.ts';
import { type Loading, useRecord } from '../core/load.ts';
import { notify } from '../core/notices.ts';
import { itemPath, type RecordType } from '../core/record-type.ts';
import type { SentRequest } from '../core/roles.ts';
import { href, leaveTo, type ScreenProps } from '../core/router.ts';
import { Button } from './button.tsx';
import { Card } from './card.tsx';
import { LoadedData } from './loaded.tsx';
import { ScreenFrame } from './page.tsx';
import { type FormDefinition, formOf } from './record-form.tsx';
import { RenameDialog } from './rename-dialog.tsx';

/** A record that is loaded for its screen. */
export interface LoadedItem<Item> extends Loading<Item> {
  readonly instance: string;
  /** Path of the record in the interface. */
  readonly path: RequestPath;
  /** What `save` sends. */
  readonly saves: SentRequest;
  /** Changes fields of the record. */
  readonly save: (changes: object) => Promise<void>;
}

/** A record that is loaded, for the parts of its screen. */
export interface ItemPartProps<Item> {
  readonly of: LoadedItem<Item>;
  readonly item: Item;
}

/** A part of the screen of a record. */
type ItemPart<Item> = FunctionComponent<ItemPartProps<Item>>;

/** What is asked before a record is deleted; title and verb have a default. */
interface DeletionQuestion extends Partial<ConfirmQuestion> {
  readonly text: string;
  /** Says that it was done; absent: with the name of the record. */
  readonly done?: string;
}

/** Declares the screen of one of a kind of records. */
export interface ItemDefinition<Item> {
  readonly type: RecordType<NoInfer<Item>>;
  /** Until the record is loaded, of records with an id; absent: the noun and the id. */
  readonly unloadedTitle?: string;
  /** The place has the name of the record, which can be renamed. */
  readonly isNamed?: boolean;
  /** Returns what is asked before a record is deleted; a text has nothing to type. Undefined: it cannot be deleted. */
  readonly remove: (item: Item) => string | DeletionQuestion | undefined;
  /** Buttons before those that rename and delete the record. */
  readonly actions?: ItemPart<Item>;
  /** Is shown above the form. */
  readonly before?: ItemPart<Item>;
  /** The fields of the record, or a form of its own. */
  readonly form?: FormDefinition<Item>;
  /** Takes the place of the form. */
  readonly editor?: ItemPart<Item>;
  /** Is shown below the form. */
  readonly after?: ItemPart<Item>;
}

/** Makes the screen of one record: a link to the list, buttons to rename and to delete it, and its contents. */
export function defineItem<Item extends object>(definition: ItemDefinition<Item>) {
  const { type, isNamed = false, actions: Actions, unloadedTitle } = definition;
  const { noun, title, place, list = place } = type;
  const Contents = contentsOf(definition);
  return function One({ names: { instance = '', id, name, device } }: ScreenProps) {
    const key = id ?? name ?? device ?? '';
    const of = useItem<Item>(itemPath(type, instance, key), instance);
    const item = of.data;
    const [isRenaming, setRenaming] = useState(false);
    const question = item && questionOf(definition, item);
    const unloaded = unloadedTitle ?? (isNamed ? key : `${noun} ${key}`);
    return (
      <ScreenFrame
        title={item === undefined ? unloaded : type.nameOf(item)}
        above={[{ text: title, href: href(list(instance)) }]}
        actions={
          item !== undefined && (
            <>
              {Actions && <Actions of={of} item={item} />}
              {isNamed && (
                <Button
                  sends={{ method: 'POST', path: below(of.path)`rename/` }}
                  onAct={() => setRenaming(true)}
                  text="Rename…"
                />
              )}
              {question && (
                <Button
                  class="danger"
                  sends={{ method: 'DELETE', path: of.path }}
                  onAct={() => remove(of.path, question, list(instance))}
                  text="Delete…"
                />
              )}
            </>
          )
        }
      >
        <LoadedData of={of}>{(data) => <Contents of={of} item={data} />}</LoadedData>
        {isRenaming && (
          <RenameDialog
            thing={noun}
            path={of.path}
            list={place(instance)}
            name={key}
            onClose={() => setRenaming(false)}
          />
        )}
      </ScreenFrame>
    );
  };
}

function useItem<Item>(path: RequestPath, instance: string): LoadedItem<Item> {
  const loading = useRecord<Item>(path);
  const saves = { method: 'PATCH', path } as const;
  const save = async (body: object) => {
    loading.setData(await send<Item>({ ...saves, body }));
    notify('Saved.');
  };
  return { ...loading, instance, path, saves, save };
}

function questionOf<Item>({ type, remove }: ItemDefinition<Item>, item: Item) {
  const asked = remove(item);
  if (asked === undefined) return undefined;
  const name = type.nameOf(item);
  const verb = `Delete ${type.noun}`;
  const question = typeof asked === 'string' ? { text: asked } : asked;
  return { title: `${verb} ${name}`, verb, done: `Deleted ${name}.`, ...question };
}

async function remove(
  path: RequestPath,
  { done, ...question }: ConfirmQuestion & { readonly done: string },
  list: RequestPath,
): Promise<void> {
  if (!(await confirm(question))) return;
  await send({ method: 'DELETE', path });
  notify(done);
  leaveTo(list);
}

function contentsOf<Item extends object>(definition: ItemDefinition<Item>): ItemPart<Item> {
  const { type, form, before: Before, editor: Editor, after: After } = definition;
  const Form = form && formOf(form, type.noun);
  return (part) => (
    <>
      {Before && <Before {...part} />}
      {Editor && <Editor {...part} />}
      {Form && !Editor && (
        <Card title="Settings" id="settings">
          <Form
            instance={part.of.instance}
            item={part.item}
            sends={part.of.saves}
            onSend={part.of.save}
          />
        </Card>
      )}
      {After && <After {...part} />}
    </>
  );
}
