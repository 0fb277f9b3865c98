import { useEffect, useRef, useState } from 'preact/hooks';
import { parseExactJson, writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { below, checkPath, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { fromServer, requestResponse, urlOf } from '../../core/api.ts';
import { formatDuration } from '../../core/format.ts';
import { parseObject } from '../../core/json-text.ts';
import { itemPlace } from '../../core/record-type.ts';
import type { ApiRequest } from '../../core/request.ts';
import { href } from '../../core/router.ts';
import type { Trace } from '../../core/traces.ts';
import { Card } from '../../parts/card.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { CodeSamples, requestSamples, typedSample } from '../../parts/code-samples.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Form } from '../../parts/form.tsx';
import type { ItemPartProps } from '../../parts/item-screen.tsx';
import { formatJson, ProgramOutput } from '../../parts/output.tsx';
import { reveal, TraceStatusText } from '../../parts/trace-view.tsx';
import { type ScriptEndpoint, scriptEndpointType } from './endpoint-data.ts';

interface Received {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly ms: number;
}

/** Calls an endpoint, and shows how other programs call it. */
export function EndpointCall({ of, item }: ItemPartProps<ScriptEndpoint>) {
  const [text, setText] = useState('{}');
  const [received, setReceived] = useState<Received>();
  const place = itemPlace(scriptEndpointType, of.instance, item);
  const sends = { method: 'POST', path: below(of.path)`run/` } as const;
  const call = async () => {
    const body = parseObject(text);
    const start = performance.now();
    const response = await requestResponse({ ...sends, body });
    setReceived({
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body: await fromServer(response.text()),
      ms: Math.round(performance.now() - start),
    });
  };
  return (
    <div class="columns">
      <Card title="Try it" id="call">
        <Form verb="Run" sends={sends} onSend={call} isDisposable>
          {() => (
            <CodeEditor
              label="Arguments"
              language="json"
              value={text}
              onValue={setText}
              isSmall
              hint="JSON. Ctrl-Enter runs."
            />
          )}
        </Form>
        {received !== undefined && <Response {...received} place={place} />}
      </Card>
      <CallTexts of={of} item={item} text={text} />
    </div>
  );
}

interface ResponseProps extends Received {
  /** Screen of the endpoint. */
  readonly place: RequestPath;
}

function Response({ status, type, body, ms, place }: ResponseProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => reveal(section.current), [body, ms]);
  const failed = status < 400 ? failedRun(body) : undefined;
  return (
    <section class="run" ref={section} tabIndex={-1} aria-label="Response of the endpoint">
      <p class="run-line" role="status">
        {failed === undefined ? (
          <span class={`badge ${status < 400 ? 'good' : 'bad'}`}>{status}</span>
        ) : (
          <TraceStatusText status={failed.status} />
        )}{' '}
        <code>{type}</code> {formatDuration(ms)}
      </p>
      {failed === undefined ? (
        <ProgramOutput label="Response" text={formatJson(body)} />
      ) : (
        <FailedRun {...failed} place={place} />
      )}
    </section>
  );
}

type RunBody = Pick<Trace, 'id' | 'status' | 'result'>;

/** Returns the run that a body shows, if it has failed: its response is 200 too. */
function failedRun(text: string): RunBody | undefined {
  const body = parsed(text) as Partial<RunBody> | null; // any JSON
  const { id, status = '', result } = body ?? {};
  const isRun = typeof id === 'number' && result != null && failedStates.includes(status);
  return isRun ? { id, status, result } : undefined;
}

const failedStates: readonly string[] = ['failure', 'timeout', 'blocked', 'queue_timeout'];

function FailedRun({ id, result, place }: RunBody & Pick<ResponseProps, 'place'>) {
  const { stdout = '', stderr = '' } = result;
  return (
    <>
      {stderr !== '' && <ProgramOutput label="Errors" text={stderr} />}
      {stdout !== '' && <ProgramOutput label="Output" text={stdout} />}
      <p>
        <a href={href(place, { tab: 'runs', run: String(id) })}>Show the run</a>
      </p>
      <p class="hint">Apps get this outcome with status 200, unless the script sets a response.</p>
    </>
  );
}

interface CallTextsProps extends ItemPartProps<ScriptEndpoint> {
  readonly text: string;
}

function CallTexts({ of: { path }, item: endpoint, text }: CallTextsProps) {
  const { public: isOpen } = endpoint;
  const link = checkPath(endpoint.links['public-link']);
  const request: ApiRequest = {
    method: 'POST',
    path: isOpen ? link : below(path)`run/`,
    body: parsed(text),
  };
  const call = `db.run(${JSON.stringify(endpoint.name)}, ${writeExactJson(request.body)})`;
  const typed = typedSample(`const result = await ${call};`);
  const publicLink = (
    <>
      <code>{urlOf({ path: link })}</code>{' '}
      <CopyButton text={() => urlOf({ path: link })} label="Copy" about="the public link" />
    </>
  );
  return (
    <Card title="Call it from your app" id="call-texts">
      {isOpen ? (
        <>
          <Facts rows={[['Public link', publicLink]]} />
          <p class="soft">
            Whoever has the link can run the script, and reads its output and errors unless it sets
            a response.
          </p>
        </>
      ) : (
        <p class="soft">
          Calls need an account key. For calls without a key, allow the public link in Settings.
        </p>
      )}
      <CodeSamples
        label="Program"
        samples={requestSamples(request, typed, isOpen ? null : undefined)}
      />
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
