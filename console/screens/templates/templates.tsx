import { defineScreen } from '../../parts/define-screen.tsx';
import { linkColumn } from '../../parts/list-screen.tsx';
import { contentTypes, type Template, templateType } from './template-data.ts';
import { TemplateEditor } from './template-editor.tsx';

const starts: Readonly<Record<string, string>> = {
  'text/html': '<h1>{{ title|e }}</h1>\n',
};

/** The templates of an instance. */
export const Screen = defineScreen<Template>({
  type: templateType,
  about: 'A template turns a response into another format, such as a web page or a spreadsheet.',
  empty: 'No templates yet. Create one to show your data as a page.',
  query: () => ({ fields: 'name,description,content_type' }),
  columns: ({ instance }) => [
    linkColumn(templateType, instance),
    { name: 'Content type', cell: ({ content_type }) => content_type },
    { name: 'Description', cell: ({ description }) => description },
  ],
  form: [
    { kind: 'name', name: 'name' },
    {
      kind: 'choice',
      name: 'content_type',
      label: 'Content type',
      hint: 'You can enter another type in the editor.',
      options: contentTypes.map((each) => [each, each]),
      start: contentTypes[0],
    },
  ],
  complete: (body) => ({ ...body, content: contentFor(body) }),
  isNamed: true,
  remove: () => 'Requests that use it will fail.',
  editor: ({ of, item }) => <TemplateEditor of={of} template={item} />,
});

function contentFor(body: object): string {
  return starts['content_type' in body ? String(body.content_type) : ''] ?? '{{ title }}\n';
}
