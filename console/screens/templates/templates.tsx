import { useList } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { DraftForm, type NewItemProps } from '../../parts/draft-form.tsx';
import { nameInput, SelectField, TextField } from '../../parts/form.tsx';
import { ListScreen, linkColumn } from '../../parts/list-screen.tsx';
import { contentTypes, type Template, templateType } from './template-data.ts';

type ListedTemplate = Pick<Template, 'name' | 'description' | 'content_type'>;

/** The templates of an instance, and a form for another one. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const query = { fields: 'name,description,content_type' };
  return (
    <ListScreen
      of={templateType}
      instance={instance}
      list={useList<ListedTemplate>(templateType.path(instance), query)}
      about="A template turns a response into another form, such as a page or a table of a spreadsheet."
      empty="There is no template."
      form={NewTemplate}
      columns={[
        linkColumn(templateType, instance),
        { name: 'Renders', cell: ({ content_type }) => content_type },
        { name: 'Description', cell: ({ description }) => description },
      ]}
    />
  );
}

const starts: Readonly<Record<string, string>> = {
  'text/html': '<h1>{{ title|e }}</h1>\n',
};

function NewTemplate({ onSend, onCancel }: NewItemProps) {
  return (
    <DraftForm
      start={{ name: '', content_type: contentTypes[0] as string }}
      verb="Create the template"
      onSend={(values) =>
        onSend({ ...values, content: starts[values.content_type] ?? '{{ title }}\n' })
      }
      onCancel={onCancel}
    >
      {({ text }) => (
        <>
          <TextField
            label="Name"
            hint="A letter, then letters, digits, - and _."
            input={nameInput}
            {...text('name')}
          />
          <SelectField
            label="Renders"
            options={contentTypes.map((each) => [each, each] as const)}
            hint="Another type can be set in the editor."
            {...text('content_type')}
          />
        </>
      )}
    </DraftForm>
  );
}
