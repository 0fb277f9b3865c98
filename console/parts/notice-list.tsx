import { attempt, dismiss, notices } from '../core/notices.ts';
import { Button } from './button.tsx';

/** Shows the notices; rendered once, by the shell. */
export function NoticeList() {
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
