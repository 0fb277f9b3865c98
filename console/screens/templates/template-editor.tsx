import { useRef, useState } from 'preact/hooks';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send, sendRaw } from '../../core/api.ts';
import { parseObject } from '../../core/json-text.ts';
import { useLoad } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import type { ApiRequest } from '../../core/request.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { DescriptionField } from '../../parts/description-field.tsx';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { useUnsaved } from '../../parts/unsaved.ts';
import { Preview, type Rendered } from './preview.tsx';
import type { Template } from './template-data.ts';

interface TemplateEditorProps {
  readonly instance: string;
  readonly template: Template;
}

const sampleSize = 5; // objects of a class in a preview

/** The editor of a template. What is previewed is the stored template, so it is saved first. */
export function TemplateEditor({ instance, template }: TemplateEditorProps) {
  const [saved, setSaved] = useState(template);
  const [content, setContent] = useState(template.content);
  const [type, setType] = useState(template.content_type);
  const [description, setDescription] = useState(template.description);
  const [context, setContext] = useState(writeExactJson(template.context, 2));
  const [source, setSource] = useState('');
  const [rendered, setRendered] = useState<Rendered>();
  const form = useRef<HTMLDivElement>(null);
  const path = at`instances/${instance}/snippets/templates/${template.name}/`;
  const save = async () => {
    const body = { content, content_type: type, description, context: parseObject(context) };
    setSaved(await send<Template>({ method: 'PATCH', path, body }));
    notify('Saved.');
    setRendered(await render(instance, template.name, source));
  };
  useUnsaved(
    content !== saved.content ||
      type !== saved.content_type ||
      description !== saved.description ||
      context !== writeExactJson(saved.context, 2),
  );
  return (
    <div class="columns" ref={form}>
      <Form verb="Save and preview" onSend={save}>
        {(errors) => (
          <>
            <CodeEditor
              label="Template"
              language={/html|xml/.test(type) ? 'html' : 'text'}
              value={content}
              onValue={setContent}
              onRun={() => form.current?.querySelector('form')?.requestSubmit()}
              hint="Jinja: {{ name|e }}, {% for each in response.objects %}. Ctrl-Enter saves and shows the preview."
              error={errors.content}
            />
            <TextField
              label="Type of what it renders"
              value={type}
              onValue={setType}
              error={errors.content_type}
              input={{ required: true, spellcheck: false }}
            />
            <CodeEditor
              label="Its own variables, as JSON"
              language="json"
              value={context}
              onValue={setContext}
              error={errors.context}
              isSmall
            />
            <DescriptionField value={description} onValue={setDescription} errors={errors} />
            <SourceField instance={instance} source={source} onSource={setSource} />
          </>
        )}
      </Form>
      <section aria-labelledby="preview">
        <h2 id="preview">Preview</h2>
        {rendered === undefined ? (
          <p class="soft">Save the template to see what it renders.</p>
        ) : (
          <Preview rendered={rendered} />
        )}
      </section>
    </div>
  );
}

/** Renders the template with its own variables, or the objects of a class. */
async function render(instance: string, name: string, source: string): Promise<Rendered> {
  const response = await sendRaw(renderRequest(instance, name, source));
  return { type: response.headers.get('Content-Type') ?? '', text: await response.text() };
}

function renderRequest(instance: string, name: string, source: string): ApiRequest {
  if (source === '') {
    const path = at`instances/${instance}/snippets/templates/${name}/render/`;
    return { method: 'POST', path, body: {} };
  }
  const path = at`instances/${instance}/classes/${source}/objects/`;
  return { method: 'GET', path, query: { template: name, page_size: sampleSize } };
}

interface SourceFieldProps {
  readonly instance: string;
  /** A class; empty: only the variables of the template. */
  readonly source: string;
  readonly onSource: (source: string) => void;
}

function SourceField({ instance, source, onSource }: SourceFieldProps) {
  const path = at`instances/${instance}/classes/`;
  const classes = useLoad(
    () => readAll<{ readonly name: string }>(path, { fields: 'name' }),
    [path],
  );
  return (
    <LoadedData of={classes}>
      {(all) => (
        <SelectField
          label="Preview it with"
          value={source}
          onValue={onSource}
          options={[
            ['', 'its own variables'],
            ...all.map(({ name }) => [name, `objects of ${name}, as response`] as const),
          ]}
        />
      )}
    </LoadedData>
  );
}
