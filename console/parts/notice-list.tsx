import { attempt, dismiss, notices } from '../core/notices.ts';

/** Shows the notices; rendered once, by the shell. */
export function NoticeList() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text, undo }) => (
        <div key={id} class={`notice ${kind}`}>
          <span>{text}</span>
          {undo !== undefined && (
            <button
              type="button"
              class="small"
              onClick={() => {
                dismiss(id);
                attempt(undo);
              }}
            >
              Undo
            </button>
          )}
          <button
            type="button"
            class="small"
            aria-label="Close the notice"
            onClick={() => dismiss(id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
