import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asked, type ConfirmQuestion } from '../core/confirm.ts';
import { attempt, openDialogs } from '../core/notices.ts';
import { Button } from './button.tsx';
import { NoticeList } from './notice-list.tsx';
import { confirmLoss, hasUnsaved } from './unsaved.ts';

interface DialogProps {
  readonly title: string;
  /** Also called for Escape; asks first when a form in the dialog has changes. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** For editors and tables. */
  readonly isWide?: boolean;
}

/** A modal dialog. It is open as long as it is rendered; the focus returns to where it was. */
export function Dialog({ title, onClose, children, isWide }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    openDialogs.value = [...openDialogs.peek(), titleId];
    dialog.current?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus();
    return () => {
      openDialogs.value = openDialogs.peek().filter((id) => id !== titleId);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const close = async () => {
    if (!hasUnsaved(dialog.current) || (await confirmLoss())) onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      class={isWide ? 'wide' : ''}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return; // no file was chosen
        event.preventDefault();
        attempt(close);
      }}
    >
      <div class="dialog-heading">
        <h2 id={titleId}>{title}</h2>
        <Button class="icon" aria-label="Close" onAct={close} icon="close" />
      </div>
      {children}
      <NoticeList dialog={titleId} />
    </dialog>
  );
}

/** Shows the question of `confirm`; rendered once, by the shell. */
export function Confirmation() {
  if (asked.value === undefined) return null;
  const { question, answer } = asked.value;
  const { title, text, verb, name } = question;
  const cancel = () => answer(false);
  return (
    <Dialog title={title} onClose={cancel}>
      <AgreeForm verb={verb} name={name} onAgree={() => answer(true)} onCancel={cancel}>
        <p>{text}</p>
      </AgreeForm>
    </Dialog>
  );
}

interface AgreeFormProps extends Pick<ConfirmQuestion, 'verb'> {
  /** Has to be typed; undefined: nothing has. */
  readonly name: string | undefined;
  readonly onAgree: () => void;
  readonly onCancel: () => void;
  /** Says what happens. */
  readonly children: ComponentChildren;
}

/** Asks for agreement, and for a name where something cannot be undone. */
export function AgreeForm({ verb, name, onAgree, onCancel, children }: AgreeFormProps) {
  const [typed, setTyped] = useState('');
  const isReady = name === undefined || typed === name;
  const id = useId();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onAgree();
      }}
    >
      {children}
      {name !== undefined && (
        <div class="field">
          <label for={id}>
            Type <strong>{name}</strong> to confirm
          </label>
          <input
            id={id}
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </div>
      )}
      <div class="actions">
        <button type="submit" class="danger" disabled={!isReady}>
          {verb}
        </button>
        <Button onAct={onCancel} text="Cancel" />
      </div>
    </form>
  );
}
