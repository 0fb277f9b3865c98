import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Table } from '../../parts/table.tsx';
import { LetterDialog } from './letter-dialog.tsx';
import { type LetterName, letters, type SettingsPartProps } from './user-settings-data.ts';

const names = Object.keys(letters) as LetterName[]; // an object of ours

/** The mails to users, and their texts. */
export function Letters({ instance, settings, onSave }: SettingsPartProps) {
  const { mails } = settings;
  const [changed, setChanged] = useState<LetterName>();
  return (
    <Card title="Mails" id="mails">
      <p class="hint">They are sent when the operator of the server allows it.</p>
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
          {
            name: 'Actions',
            isActions: true,
            cell: (name) => (
              <Button
                class="small"
                aria-label={`Write: ${letters[name].title}`}
                onAct={() => setChanged(name)}
                text="Write…"
              />
            ),
          },
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
