import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { writeExactJson } from '../../shared/values/json/exact-number.ts';
import type { RequestPath } from '../../shared/values/text/request-path.ts';
import { formatDuration } from '../core/format.ts';
import {
  isEnded,
  type Trace,
  type TraceEntry,
  type TraceResponse,
  useTrace,
} from '../core/traces.ts';
import { LoadedData } from './loaded.tsx';
import { ProgramOutput } from './output.tsx';
import { Time } from './time.tsx';

interface TraceViewProps {
  /** Path of the trace, from `instances/` on. */
  readonly path: RequestPath;
  /** Buttons for a run that has ended. */
  readonly actions?: ComponentChildren;
  readonly onEnd: () => void;
}

/** A run: its status while it is executed, then what it has put out. */
export function TraceView({ path, actions, onEnd }: TraceViewProps) {
  const trace = useTrace(path);
  const hasEnded = trace.data !== undefined && isEnded(trace.data);
  useEffect(() => {
    if (hasEnded) onEnd();
  }, [path, hasEnded]);
  return (
    <LoadedData of={trace}>
      {(data) => (
        <>
          <p class="run-line" role="status">
            <TraceStatusText status={data.status} /> <Duration ms={data.duration} />{' '}
            {data.executed_at !== null && (
              <span class="soft">
                Started <Time value={data.executed_at} />
              </span>
            )}
          </p>
          {hasEnded && <TraceOutput trace={data} />}
          {hasEnded && actions !== undefined && <div class="actions">{actions}</div>}
        </>
      )}
    </LoadedData>
  );
}

const words: Readonly<Record<string, string>> = {
  pending: 'waiting',
  processing: 'running',
  queue_timeout: 'waited too long',
  blocked: 'blocked: too many runs',
};

/** The status of a run in words. */
export function TraceStatusText({ status }: Pick<TraceEntry, 'status'>) {
  const kind = status === 'success' ? 'good' : isEnded({ status }) ? 'bad' : 'soft';
  return <span class={`badge ${kind}`}>{words[status] ?? status}</span>;
}

/** How long a run has taken. */
export function Duration({ ms }: { readonly ms: number | null }) {
  return ms === null ? null : <span>{formatDuration(ms)}</span>;
}

function TraceOutput({ trace: { result, args, meta } }: { readonly trace: Trace }) {
  const { stdout = '', stderr = '', response } = result;
  return (
    <>
      {stdout !== '' && <ProgramOutput label="Output" text={stdout} />}
      {stderr !== '' && <ProgramOutput label="Errors" text={stderr} />}
      {response !== undefined && <ResponseView response={response} />}
      {stdout === '' && stderr === '' && response === undefined && (
        <p class="soft">The run has put out nothing.</p>
      )}
      {args !== undefined && <ProgramOutput label="Arguments" text={writeExactJson(args, 2)} />}
      {meta !== undefined && (
        <details>
          <summary>The request</summary>
          <ProgramOutput label="Request" text={writeExactJson(meta, 2)} />
        </details>
      )}
    </>
  );
}

function ResponseView({ response }: { readonly response: TraceResponse }) {
  const { status, content_type, content, encoding, headers = {} } = response;
  const label = encoding === undefined ? 'Response body' : `Response body, in ${encoding}`;
  return (
    <>
      <dl class="facts">
        <dt>Response</dt>
        <dd>
          {status} <code>{content_type}</code>
        </dd>
        {Object.entries(headers).flatMap(([name, values]) =>
          [values]
            .flat()
            .map((value, at) => [
              <dt key={`${name} ${at}`}>{name}</dt>,
              <dd key={`${name} ${at} value`}>{value}</dd>,
            ]),
        )}
      </dl>
      <ProgramOutput label={label} text={content} />
    </>
  );
}
