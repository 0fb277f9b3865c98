import { attempt, notify } from '../core/notices.ts';

interface CopyButtonProps {
  readonly text: () => string;
  readonly label: string;
  /** What is copied, for screen readers, where several buttons have the same label. */
  readonly about?: string;
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label, about }: CopyButtonProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    notify('Copied.');
  };
  return (
    <button
      type="button"
      class="small"
      aria-label={about === undefined ? undefined : `${label} ${about}`}
      onClick={() => attempt(copy)}
    >
      {label}
    </button>
  );
}
