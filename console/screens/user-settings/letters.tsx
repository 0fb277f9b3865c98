import { useState } from 'preact/hooks';
import { confirm } from '../../core/confirm.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { actionsColumn, Table } from '../../parts/table.tsx';
import { LetterDialog } from './letter-dialog.tsx';
import { type LetterName, letters, type SettingsPartProps } from './user-settings-data.ts';

const names = Object.keys(letters) as LetterName[]; // an object of ours

/** The mails to users, and their texts. */
export function Letters({ instance, settings, onSave }: SettingsPartProps) {
  const { mails } = settings;
  const [changed, setChanged] = useState<LetterName>();
  const reset = async (name: LetterName) => {
    const isSure = await confirm({
      title: 'Reset text',
      text: 'The mail gets the default text of the server again.',
      verb: 'Reset text',
    });
    if (isSure) await onSave({ mails: { ...mails, [name]: null } });
  };
  return (
    <Card title="Mails" id="mails">
      <p class="about">
        Sent when the operator of the server allows mails to users (GROUNDWORK_USER_MAIL).
      </p>
      <Table
        caption="Mails to users"
        rows={names}
        keyOf={(name) => name}
        columns={[
          { name: 'Mail', cell: (name) => letters[name].title },
          {
            name: 'Subject',
            cell: (name) => mails[name]?.subject ?? <span class="soft">that of the server</span>,
          },
          actionsColumn((name: LetterName) => (
            <div class="actions">
              <Button
                class="small"
                aria-label={`Edit: ${letters[name].title}`}
                onAct={() => setChanged(name)}
                text="Edit…"
              />
              {mails[name] !== undefined && (
                <Button
                  class="small danger"
                  aria-label={`Reset: ${letters[name].title}`}
                  onAct={() => reset(name)}
                  text="Reset…"
                />
              )}
            </div>
          )),
        ]}
      />
      {changed !== undefined && (
        <LetterDialog
          instance={instance}
          name={changed}
          letter={mails[changed]}
          onSave={async (letter) => {
            await onSave({ mails: { ...mails, [changed]: letter } });
            setChanged(undefined);
          }}
          onClose={() => setChanged(undefined)}
        />
      )}
    </Card>
  );
}
