import { useState } from 'preact/hooks';
import { parseExactJson, writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { below, checkPath, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { requestResponse } from '../../core/api.ts';
import { parseObject } from '../../core/json-text.ts';
import type { ApiRequest } from '../../core/request.ts';
import { Card } from '../../parts/card.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { CheckField, Form, SelectField } from '../../parts/form.tsx';
import { ProgramOutput } from '../../parts/output.tsx';
import { toCurl, toFetch } from '../../parts/request-text.ts';
import type { ScriptEndpoint } from './endpoint-data.ts';

interface EndpointCallProps {
  readonly endpoint: ScriptEndpoint;
  readonly path: RequestPath;
  readonly onCall: () => void;
}

interface Received {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Calls an endpoint, and shows how other programs call it. */
export function EndpointCall({ endpoint, path, onCall }: EndpointCallProps) {
  const [text, setText] = useState('{}');
  const [received, setReceived] = useState<Received>();
  const call = async () => {
    const body = parseObject(text);
    const response = await requestResponse({ method: 'POST', path: below(path)`run/`, body });
    setReceived({
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body: await response.text(),
    });
    onCall();
  };
  return (
    <div class="columns">
      <Card title="Call it" id="call">
        <Form verb="Run" onSend={call}>
          {() => (
            <CodeEditor
              label="Arguments, as JSON"
              language="json"
              value={text}
              onValue={setText}
              isSmall
            />
          )}
        </Form>
        {received !== undefined && (
          <>
            <p class="run-line" role="status">
              <span class={`badge ${received.status < 400 ? 'good' : 'bad'}`}>
                {received.status}
              </span>{' '}
              <code>{received.type}</code>
            </p>
            <ProgramOutput label="Response" text={received.body} />
          </>
        )}
      </Card>
      <CallTexts endpoint={endpoint} path={path} text={text} />
    </div>
  );
}

const forms = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['typed', 'Typed client'],
] as const;

interface CallTextsProps {
  readonly endpoint: ScriptEndpoint;
  readonly path: RequestPath;
  readonly text: string;
}

function CallTexts({ endpoint, path, text }: CallTextsProps) {
  const [form, setForm] = useState('curl');
  const [wantsOpen, setOpen] = useState(endpoint.public);
  const isOpen = endpoint.public && wantsOpen;
  const request: ApiRequest = {
    method: 'POST',
    path: isOpen ? checkPath(endpoint.links['public-link']) : below(path)`run/`,
    body: parsed(text),
  };
  const shown =
    form === 'curl'
      ? toCurl(request, isOpen)
      : form === 'javascript'
        ? toFetch(request, isOpen)
        : toTyped(endpoint.name, request.body);
  return (
    <Card title="Call it from a program" id="call-texts">
      <SelectField label="With" value={form} onValue={setForm} options={forms} />
      {endpoint.public && form !== 'typed' && (
        <CheckField
          label="By the public link, without a key"
          isChecked={wantsOpen}
          onChecked={setOpen}
        />
      )}
      <ProgramOutput label="Program" text={shown} />
      {form === 'typed' && <p class="hint">db is the client that groundwork types writes.</p>}
    </Card>
  );
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return {}; // while it is typed
  }
}

function toTyped(name: string, body: unknown): string {
  const call = `db.run(${JSON.stringify(name)}, ${writeExactJson(body)})`;
  return `const result = await ${call};`;
}
