import { useState } from 'preact/hooks';
import { confirm } from '../../core/confirm.ts';
import { notify, notifyProblem } from '../../core/notices.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CodeSamples } from '../../parts/code-samples.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FormDialog } from '../../parts/draft-form.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Facts } from '../../parts/facts.tsx';
import { AreaField, CheckField, SelectField, TextField } from '../../parts/form.tsx';
import { Icon, type IconName, icons } from '../../parts/icon.tsx';
import { LeavesNote } from '../../parts/leaves-note.tsx';
import { Empty, Problem, Skeleton } from '../../parts/loaded.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ProgramOutput } from '../../parts/output.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Popover } from '../../parts/popover.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { TraceStatusText } from '../../parts/trace-view.tsx';

const tabs = ['First', 'Second', 'Third'].map((text, index) => ({
  text,
  href: '#/parts',
  isCurrent: index === 0,
}));

/** Shows every part of the console, for its developers: nothing links here. */
export function Screen() {
  return (
    <ScreenFrame title="Parts" about="Every part of the console, in this theme." tabs={tabs}>
      <div class="columns">
        <Buttons />
        <Fields />
        <Card title="Icons">
          <p class="actions">
            <Mark />
            {Object.keys(icons).map((name) => (
              <span key={name} title={name}>
                <Icon name={name as IconName} /* a key of the icons */ />
              </span>
            ))}
          </p>
        </Card>
        <Card title="States">
          <p class="actions">
            <TraceStatusText status="success" /> <TraceStatusText status="failure" />{' '}
            <TraceStatusText status="pending" />
          </p>
          <Problem message="The server cannot be reached." retry={() => notify('Tried again.')} />
          <Skeleton />
        </Card>
        <Card title="Values">
          <Table caption="Books" columns={columns} rows={rows} keyOf={({ name }) => name} />
          <Facts
            rows={[
              ['Pages', '474'],
              ['Author', 'Jane Austen'],
            ]}
          />
          <LeavesNote of="mail" />
          <Secret name="the key of the shop" text="0123456789abcdef" />
          <ProgramOutput label="Output" text={'first line\nsecond line'} />
          <CodeSamples
            label="Get a book"
            samples={[
              ['curl', 'curl …'],
              ['Python', 'from urllib.request import urlopen'],
            ]}
          />
        </Card>
        <Empty>
          <p>There are no books yet.</p>
          <Button class="main" icon="add" onAct={() => notify('Created.')} text="New book" />
        </Empty>
      </div>
    </ScreenFrame>
  );
}

const rows = [
  { name: 'Emma', sold: 1200, at: '2026-01-31T12:00:00Z' },
  { name: 'Persuasion', sold: 7, at: null },
];
const columns = [
  { name: 'Name', cell: ({ name }: (typeof rows)[number]) => name },
  { name: 'Sold', isNumber: true, cell: ({ sold }: (typeof rows)[number]) => sold },
  { name: 'Printed', cell: ({ at }: (typeof rows)[number]) => <Time value={at} /> },
];

function Buttons() {
  const [isOpen, setOpen] = useState(false);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const ask = () =>
    confirm({ title: 'Delete the book', text: 'Its pages are deleted.', verb: 'Delete' });
  return (
    <Card title="Buttons, notices, dialogs">
      <div class="actions">
        <Button class="main" onAct={() => notify('Saved.')} text="Main" />
        <Button onAct={() => notify('Deleted.', async () => {})} text="With Undo" />
        <Button
          onAct={() => notifyProblem(new Error('A mistake of the console.'))}
          text="Problem"
        />
        <Button class="danger" onAct={ask} text="Danger…" />
        <Button class="small" onAct={() => setOpen(true)} text="Dialog…" />
        <Menu label="More" items={[{ text: 'Move up', onAct: () => notify('Moved.') }]} />
        <Button disabled onAct={() => {}} text="Disabled" />
        <Popover icon="filter" text="Popover">
          {(close) => <Button onAct={close} text="Close" />}
        </Popover>
        <Button class="small" onAct={() => setDrawerOpen(true)} text="Drawer" />
        <CopyButton text={() => 'a text'} label="Copy" />
      </div>
      {isDrawerOpen && (
        <Drawer title="Emma" onClose={async () => setDrawerOpen(false)}>
          <p>Over the right of the screen.</p>
        </Drawer>
      )}
      {isOpen && (
        <FormDialog
          title="New book"
          start={{ name: '' }}
          verb="Create"
          onSend={async () => setOpen(false)}
          onClose={() => setOpen(false)}
        >
          {({ text }) => <TextField label="Name" {...text('name')} />}
        </FormDialog>
      )}
    </Card>
  );
}

function Fields() {
  const [value, setValue] = useState('');
  const [isChecked, setChecked] = useState(true);
  const text = { value, onValue: setValue };
  return (
    <Card title="Fields">
      <div class="stack">
        <TextField label="Name" hint="Letters and digits." {...text} />
        <TextField label="Name with an error" error="Enter a name." {...text} />
        <SelectField label="Choice" options={[['', 'None']]} {...text} />
        <AreaField label="Description" {...text} />
        <CheckField label="Sold" isChecked={isChecked} onChecked={setChecked} />
      </div>
    </Card>
  );
}
