import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useRepeat } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { Button } from '../../parts/button.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import type { Paged } from '../../parts/paged.tsx';
import { actionsColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { DeadLetterRecord } from './operation-data.ts';

const lookMs = 2_000;

interface DeadLettersProps {
  readonly instance: string;
  readonly letters: Paged<DeadLetterRecord>;
}

/** Changes whose effects failed: they can be processed again, or deleted. */
export function DeadLetterList({ instance, letters }: DeadLettersProps) {
  const { data, reload } = letters;
  const isReplaying = data?.some(({ status }) => status === 'replaying') ?? false;
  useRepeat(reload, lookMs, isReplaying);
  return (
    <LoadedTable
      of={letters}
      caption="Failed jobs, the oldest first"
      keyOf={({ id }) => id}
      columns={columnsOf(instance, reload)}
      empty={<p class="soft">No failed jobs.</p>}
    />
  );
}

function columnsOf(instance: string, reload: () => void) {
  const replay = async ({ id }: DeadLetterRecord) => {
    await send({ method: 'POST', path: at`instances/${instance}/dead_letters/${id}/replay/` });
    notify('The job runs again. If it fails, it stays here with the new error.');
    reload();
  };
  const remove = async (letter: DeadLetterRecord) => {
    const isSure = await confirm({
      title: 'Delete this job',
      text: `This job of the ${changeText(letter)} will never run, and its effect stays missing.`,
      verb: 'Delete job',
    });
    if (!isSure) return;
    const path = at`instances/${instance}/dead_letters/${letter.id}/`;
    await send({ method: 'DELETE', path });
    reload();
  };
  return [
    { name: 'Change', cell: changeText },
    { name: 'Job', cell: ({ consumer }: DeadLetterRecord) => effects[consumer] ?? consumer },
    { name: 'Error', cell: ErrorText },
    { name: 'When', cell: ({ created_at }: DeadLetterRecord) => <Time value={created_at} /> },
    actionsColumn((letter: DeadLetterRecord) => (
      <div class="actions">
        <Button
          class="small"
          disabled={letter.status === 'replaying'}
          onAct={() => replay(letter)}
          text={letter.status === 'replaying' ? 'Retrying…' : 'Retry'}
        />
        <Button class="small danger" onAct={() => remove(letter)} text="Delete…" />
      </div>
    )),
  ];
}

const shownCharacters = 200;

/** The error; the rest of a long one is folded. */
function ErrorText({ error }: DeadLetterRecord) {
  if (error.length <= shownCharacters) return <>{error}</>;
  return (
    <details>
      <summary>{error.slice(0, shownCharacters)}…</summary>
      {error.slice(shownCharacters)}
    </details>
  );
}

/** What is missing while a consumer has not processed a change. */
const effects: Readonly<Record<string, string>> = {
  triggers: 'Runs of triggers',
  'triggers of deleted classes and scripts': 'Deletion of triggers',
  'clear-schedules': 'Deletion of schedules',
  'channel-events': 'Message in a channel',
  'class counts': 'Count of objects',
  'class file counts': 'Count of files',
  'functions of scripts': 'Function of the script',
};

/** Returns a change in words: `update of object 5 of book`. */
function changeText({ action, item, item_id: id, class: name }: DeadLetterRecord): string {
  const thing = item === 'other' ? 'a record' : `${item}${id === null ? '' : ` ${id}`}`;
  if (name === null) return `${action} of ${thing}`;
  return item === 'class' ? `${action} of class ${name}` : `${action} of ${thing} of ${name}`;
}
