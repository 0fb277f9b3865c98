import { attempt, dismiss, notices, openDialogs } from '../core/notices.ts';
import { Button } from './button.tsx';

interface NoticeListProps {
  /** Id of the dialog that it is in; absent: it is in none. */
  readonly dialog?: string;
}

/** Shows the notices; rendered by the shell and each dialog: behind the topmost dialog nothing can be reached. */
export function NoticeList({ dialog }: NoticeListProps) {
  if (openDialogs.value.at(-1) !== dialog) return null;
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text, undo }) => (
        <div key={id} class={`notice ${kind}`}>
          <span>{text}</span>
          {undo !== undefined && (
            <Button
              class="small"
              onAct={() => {
                dismiss(id);
                attempt(undo);
              }}
              text="Undo"
            />
          )}
          <Button
            class="icon"
            aria-label="Close the notice"
            onAct={() => dismiss(id)}
            icon="close"
          />
        </div>
      ))}
    </div>
  );
}
