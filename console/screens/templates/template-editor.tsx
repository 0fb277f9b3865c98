import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { fromServer, sendRaw } from '../../core/api.ts';
import { parseObject } from '../../core/json-text.ts';
import { useLoad } from '../../core/load.ts';
import type { ApiRequest } from '../../core/request.ts';
import { ClassField } from '../../parts/class-choice.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { DescriptionField, TextField } from '../../parts/form.tsx';
import type { LoadedItem } from '../../parts/item-screen.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { Preview, type Rendered } from './preview.tsx';
import type { Template } from './template-data.ts';

interface TemplateEditorProps {
  readonly of: LoadedItem<Template>;
  readonly template: Template;
}

const sampleSize = 5; // objects of a class in a preview

/** The editor of a template. What is previewed is the stored template, so it is saved first. */
export function TemplateEditor({ of: { instance, saves, save }, template }: TemplateEditorProps) {
  const { name, content, content_type, description, context } = template;
  const [source, setSource] = useState('');
  const lacksResponse =
    source === '' && /\{[{%][^}]*\bresponse\b/.test(content) && !('response' in context);
  const preview = useLoad(
    async () => (lacksResponse ? undefined : render(instance, name, source)),
    [instance, name, source, lacksResponse],
  );
  return (
    <div class="columns">
      <DraftForm
        start={{ content, content_type, description, context: writeExactJson(context, 2) }}
        verb="Save and preview"
        sends={saves}
        onSend={async (values) => {
          await save({ ...values, context: parseObject(values.context) });
          preview.reload();
        }}
      >
        {({ values, text }) => (
          <>
            <CodeEditor
              label="Template"
              language={/html|xml/.test(values.content_type) ? 'html' : 'text'}
              hint="Jinja: {{ name|e }}, {% for each in response.objects %}. Ctrl-Enter saves and previews."
              {...text('content')}
            />
            <TextField
              label="Content type"
              input={{ required: true, spellcheck: false }}
              {...text('content_type')}
            />
            <CodeEditor label="Variables (JSON)" language="json" isSmall {...text('context')} />
            <DescriptionField {...text('description')} />
          </>
        )}
      </DraftForm>
      <section class="stack" aria-labelledby="preview">
        <h2 id="preview">Preview</h2>
        <ClassField
          instance={instance}
          label="Preview with"
          none="Its own variables"
          textOf={(each) => `The first ${sampleSize} objects of ${each}`}
          value={source}
          onValue={setSource}
        />
        {lacksResponse && (
          <Empty>
            This template shows a response. Choose a class in “Preview with” to see one.
          </Empty>
        )}
        <LoadedData of={preview}>
          {(rendered) => rendered && <Preview {...{ rendered }} />}
        </LoadedData>
      </section>
    </div>
  );
}

/** Renders the template with its own variables, or the objects of a class. */
async function render(instance: string, name: string, source: string): Promise<Rendered> {
  const response = await sendRaw(renderRequest(instance, name, source));
  return {
    type: response.headers.get('Content-Type') ?? '',
    text: await fromServer(response.text()),
  };
}

function renderRequest(instance: string, name: string, source: string): ApiRequest {
  if (source === '') {
    const path = at`instances/${instance}/snippets/templates/${name}/render/`;
    return { method: 'POST', path, body: {} };
  }
  const path = at`instances/${instance}/classes/${source}/objects/`;
  return { method: 'GET', path, query: { template: name, page_size: sampleSize } };
}
