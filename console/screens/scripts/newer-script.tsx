import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import type { Script } from './script-data.ts';

interface NewerScriptProps {
  readonly newer: Script;
  readonly onSettle: (choice: 'overwrite' | 'take' | 'cancel') => Promise<void>;
}

/** Asks what to do with a script that somebody has changed on the server since it was loaded. */
export function NewerScript({ newer, onSettle }: NewerScriptProps) {
  return (
    <Dialog title="The script was changed meanwhile" onClose={() => void onSettle('cancel')}>
      <p>
        It was changed on the server <Time value={newer.updated_at} />, after it was loaded here.
      </p>
      <div class="actions">
        <Button class="danger" onAct={() => void onSettle('overwrite')} text="Save mine over it" />
        <Button onAct={() => void onSettle('take')} text="Drop mine and show it" />
        <Button onAct={() => void onSettle('cancel')} text="Cancel" />
      </div>
    </Dialog>
  );
}
