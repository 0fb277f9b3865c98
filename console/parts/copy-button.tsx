import { attempt, notify } from '../core/notices.ts';

interface CopyButtonProps {
  readonly text: () => string;
  readonly label: string;
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    notify('Copied.');
  };
  return (
    <button type="button" class="small" onClick={() => attempt(copy)}>
      {label}
    </button>
  );
}
