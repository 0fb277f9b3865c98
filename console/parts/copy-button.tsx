import { ApiProblem } from '../core/api.ts';
import { attempt, notify } from '../core/notices.ts';

interface CopyButtonProps {
  readonly text: () => string;
  readonly label: string;
  /** What is copied, for screen readers, where several buttons have the same label. */
  readonly about?: string;
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label, about }: CopyButtonProps) {
  const copy = async (button: HTMLElement) => {
    await copyText(text(), button);
    notify('Copied.');
  };
  return (
    <button
      type="button"
      class="small"
      aria-label={about === undefined ? undefined : `${label} ${about}`}
      onClick={({ currentTarget }) => attempt(() => copy(currentTarget))}
    >
      {label}
    </button>
  );
}

/** Copies a text. Browsers have a clipboard for https and loopback only; otherwise a selection is copied. */
async function copyText(text: string, button: HTMLElement): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard !== undefined) return clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  button.after(area); // outside of an open dialog nothing can be selected
  try {
    area.select();
    if (!document.execCommand('copy'))
      throw new ApiProblem(0, 'The browser does not copy. Select the text.');
  } finally {
    area.remove();
    button.focus();
  }
}
