import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Also called for Escape. */
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
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      class={isWide ? 'wide' : ''}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-heading">
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="small" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}

/** What a user has to agree to. */
interface Question {
  readonly title: string;
  readonly text: string;
  /** Label of the button that does it, a verb. */
  readonly verb: string;
  /** Has to be typed, for what cannot be undone. */
  readonly name?: string;
}

const asked = signal<{ question: Question; answer: (isSure: boolean) => void } | undefined>(
  undefined,
);

/** Asks before something is done; resolves with whether the user agrees. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    const answer = (isSure: boolean) => {
      asked.value = undefined;
      resolve(isSure);
    };
    asked.value = { question, answer };
  });
}

/** Shows the question of `confirm`; rendered once, by the shell. */
export function Confirmation() {
  const current = asked.value;
  if (current === undefined) return null;
  return <QuestionDialog question={current.question} answer={current.answer} />;
}

interface QuestionDialogProps {
  readonly question: Question;
  readonly answer: (isSure: boolean) => void;
}

function QuestionDialog({ question: { title, text, verb, name }, answer }: QuestionDialogProps) {
  const [typed, setTyped] = useState('');
  const isReady = name === undefined || typed === name;
  const id = useId();
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) answer(true);
        }}
      >
        <p>{text}</p>
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
          <button type="button" onClick={() => answer(false)}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
