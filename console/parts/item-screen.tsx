import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestPath } from '../../shared/values/text/request-path.ts';
import { send } from '../core/api.ts';
import { type ConfirmQuestion, confirm } from '../core/confirm.ts';
import { type Loading, useRecord } from '../core/load.ts';
import { notify } from '../core/notices.ts';
import { itemPath, type RecordType } from '../core/record-type.ts';
import { href, leaveTo } from '../core/router.ts';
import { Button } from './button.tsx';
import { DangerButton } from './danger-button.tsx';
import { LoadedData } from './loaded.tsx';
import { ScreenFrame } from './page.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import type { Tab } from './tabs.tsx';

/** A record that is loaded for its screen. */
export interface LoadedItem<Item> extends Loading<Item> {
  readonly type: RecordType<Item>;
  readonly instance: string;
  /** Id or name, from the place. */
  readonly key: string;
  /** Path of the record in the interface. */
  readonly path: RequestPath;
  /** Changes fields of the record. */
  readonly save: (changes: object) => Promise<void>;
}

/** Loads a record for its screen. */
export function useItem<Item>(
  type: RecordType<NoInfer<Item>>,
  instance: string,
  key: string,
): LoadedItem<Item> {
  const path = itemPath(type, instance, key);
  const loading = useRecord<Item>(path);
  const save = async (body: object) => {
    loading.setData(await send<Item>({ method: 'PATCH', path, body }));
    notify('Saved.');
  };
  return { ...loading, type, instance, key, path, save };
}

interface ItemScreenProps<Item> {
  readonly of: LoadedItem<Item>;
  /** Until the record is loaded; then its name is the title. Absent: the title is the key. */
  readonly unloadedTitle?: string;
  readonly about?: ComponentChildren;
  readonly tabs?: readonly Tab[];
  /** Buttons before those that rename and delete the record; they appear with it. */
  readonly actions?: ComponentChildren;
  /** The record can be renamed. */
  readonly isNamed?: boolean;
  /** Returns what is asked before the record is deleted; undefined: it cannot be. */
  readonly deletion: (item: Item) => DeletionQuestion | undefined;
  readonly children: (item: Item) => ComponentChildren;
}

/** What is asked before a record is deleted; title and verb have a default. */
export interface DeletionQuestion extends Partial<ConfirmQuestion> {
  readonly text: string;
  /** Says that it was done; absent: with the noun. */
  readonly done?: string;
}

/** The screen of one record: a link to the list, buttons to rename and to delete it, and its contents. */
export function ItemScreen<Item>({ of, actions, ...props }: ItemScreenProps<Item>) {
  const { type, instance, key, path, data } = of;
  const { noun, title, place, list = place } = type;
  const [isRenaming, setRenaming] = useState(false);
  const remove = async (item: Item, { done, ...question }: DeletionQuestion) => {
    const verb = `Delete ${noun}`;
    const isSure = await confirm({
      title: `${verb} ${type.nameOf(item)}`,
      verb,
      ...question,
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path });
    notify(done ?? `Deleted ${type.nameOf(item)}.`);
    leaveTo(list(instance));
  };
  const question = data === undefined ? undefined : props.deletion(data);
  return (
    <ScreenFrame
      title={titleOf(of, props.unloadedTitle)}
      about={props.about}
      tabs={props.tabs}
      above={[{ text: title, href: href(list(instance)) }]}
      actions={
        data !== undefined && (
          <>
            {actions}
            {props.isNamed && <Button onAct={() => setRenaming(true)} text="Rename…" />}
            {question !== undefined && (
              <DangerButton of={of} onAct={(item) => remove(item, question)} />
            )}
          </>
        )
      }
    >
      <LoadedData of={of}>{props.children}</LoadedData>
      {isRenaming && (
        <RenameDialog
          thing={noun}
          path={path}
          list={place(instance)}
          name={key}
          onClose={() => setRenaming(false)}
        />
      )}
    </ScreenFrame>
  );
}

function titleOf<Item>({ type, data, key }: LoadedItem<Item>, unloaded: string | undefined) {
  if (unloaded === undefined) return key;
  return data === undefined ? unloaded : type.nameOf(data);
}
