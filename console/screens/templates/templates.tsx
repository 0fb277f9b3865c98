import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { href, navigate } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { contentTypes, type Template } from './template-data.ts';

/** The templates of an instance, and a form for another one. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const path = at`instances/${instance}/snippets/templates/`;
  const templates = useLoad(
    () => readAll<ListedTemplate>(path, { fields: 'name,description,content_type' }),
    [path],
  );
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      New template
    </button>
  );
  return (
    <ScreenFrame
      title="Templates"
      about="A template turns a response into another form, such as a page or a table of a spreadsheet."
      actions={add}
    >
      <LoadedData of={templates}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>There is no template.</p>
              {add}
            </Empty>
          ) : (
            <Table
              caption="Templates"
              columns={columnsOf(instance)}
              rows={all}
              keyOf={({ name }) => name}
            />
          )
        }
      </LoadedData>
      {isAdding && <NewTemplate instance={instance} onClose={() => setAdding(false)} />}
    </ScreenFrame>
  );
}

type ListedTemplate = Pick<Template, 'name' | 'description' | 'content_type'>;

function columnsOf(instance: string): TableColumn<ListedTemplate>[] {
  return [
    {
      name: 'Name',
      cell: ({ name }) => <a href={href(at`/i/${instance}/templates/${name}`)}>{name}</a>,
    },
    { name: 'Renders', cell: ({ content_type }) => content_type },
    { name: 'Description', cell: ({ description }) => description },
  ];
}

const starts: Readonly<Record<string, string>> = {
  'text/html': '<h1>{{ title|e }}</h1>\n',
};

interface NewTemplateProps {
  readonly instance: string;
  readonly onClose: () => void;
}

function NewTemplate({ instance, onClose }: NewTemplateProps) {
  const [name, setName] = useState('');
  const [type, setType] = useState<string>(contentTypes[0]);
  const create = async () => {
    const body = { name, content_type: type, content: starts[type] ?? '{{ title }}\n' };
    const path = at`instances/${instance}/snippets/templates/`;
    const made = await send<Template>({ method: 'POST', path, body });
    navigate(at`/i/${instance}/templates/${made.name}`);
  };
  return (
    <Dialog title="New template" onClose={onClose}>
      <Form verb="Create the template" onSend={create} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label="Name"
              hint="A letter, then letters, digits, - and _."
              value={name}
              onValue={setName}
              error={errors.name}
              input={{ required: true, autocomplete: 'off', spellcheck: false }}
            />
            <SelectField
              label="Renders"
              value={type}
              onValue={setType}
              error={errors.content_type}
              options={contentTypes.map((each) => [each, each] as const)}
              hint="Another type can be set in the editor."
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
