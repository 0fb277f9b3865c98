import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { writeExactJson } from '../../shared/values/json/exact-number.ts';
import { at, below, type RequestPath } from '../../shared/values/text/request-path.ts';
import { send } from '../core/api.ts';
import { formatDuration } from '../core/format.ts';
import { instanceOfLocation } from '../core/place-names.ts';
import { currentPath, href } from '../core/router.ts';
import {
  isEnded,
  showRun,
  type Trace,
  type TraceCause,
  type TraceEntry,
  type TraceResponse,
  takesFocus,
  useTrace,
} from '../core/traces.ts';
import { Button } from './button.tsx';
import { Facts } from './facts.tsx';
import { LoadedData } from './loaded.tsx';
import { formatJson, ProgramOutput } from './output.tsx';
import { Time } from './time.tsx';

interface RunViewProps {
  /** Path of the list of runs, from `instances/` on. */
  readonly list: RequestPath;
  readonly id: string;
  readonly onEnd?: () => void;
  /** Buttons at the heading. */
  readonly children?: ComponentChildren;
}

/** A run: its status while it is executed, then what it has put out. One that was just chosen has the focus. */
export function RunView({ list, id, onEnd, children }: RunViewProps) {
  const section = useRef<HTMLElement>(null);
  const path = below(list)`${id}/`;
  const trace = useTrace(path);
  const hasEnded = trace.data !== undefined && isEnded(trace.data);
  useEffect(() => {
    if (takesFocus(id)) reveal(section.current);
  }, [id]);
  useEffect(() => {
    if (hasEnded) onEnd?.();
    if (section.current?.contains(document.activeElement)) reveal(section.current); // it has grown
  }, [path, hasEnded]);
  const retry = { method: 'POST', path: below(path)`retry/` } as const;
  const again = async () => {
    showRun((await send<Trace>(retry)).id);
  };
  return (
    <section class="run" ref={section} tabIndex={-1} aria-labelledby="chosen-run">
      <div class="actions">
        <h2 id="chosen-run">Run {id}</h2>
        <span class="run-line" role="status">
          {trace.data !== undefined && <RunFacts trace={trace.data} />}
        </span>
        {children}
      </div>
      {hasEnded && (
        <div class="actions">
          <Button class="small" sends={retry} onAct={again} text="Run again" />
          <RequestLink id={trace.data?.request_id} />
        </div>
      )}
      <LoadedData of={trace}>{(data) => hasEnded && <TraceOutput trace={data} />}</LoadedData>
    </section>
  );
}

function RunFacts({ trace: { status, duration, executed_at } }: { readonly trace: Trace }) {
  return (
    <>
      <TraceStatusText status={status} /> <Duration ms={duration} />{' '}
      {executed_at !== null && (
        <span class="soft">
          <Time value={executed_at} />
        </span>
      )}
    </>
  );
}

/** A link to the request that has started a run. */
function RequestLink({ id }: { readonly id: string | null | undefined }) {
  const instance = instanceOfLocation(currentPath.value);
  if (instance === undefined || id === null || id === undefined) return null;
  return <a href={href(at`/i/${instance}/requests`, { request_id: id })}>Request</a>;
}

/** Moves the focus to an element, and shows it. */
export function reveal(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'nearest' });
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

function TraceOutput({ trace: { status, result, args, meta } }: { readonly trace: Trace }) {
  const { stdout = '', stderr = '', response } = result;
  const errors = stderr !== '' && <ProgramOutput label="Errors" text={stderr} />;
  const isFailed = status !== 'success'; // what went wrong is first
  return (
    <>
      <Cause cause={meta} args={args} />
      {isFailed && errors}
      {stdout !== '' && <ProgramOutput label="Output" text={stdout} />}
      {!isFailed && errors}
      {response !== undefined && <ResponseView response={response} />}
      {stdout === '' && stderr === '' && response === undefined && (
        <p class="soft">This run has no output.</p>
      )}
      {status === 'blocked' ? (
        <p class="soft">The arguments are not kept, because the run was not started.</p>
      ) : (
        <Inputs args={args} cause={meta} />
      )}
      {meta.executed_by === undefined && (
        <details>
          <summary>Headers of the request</summary>
          <ProgramOutput label="Request" text={writeExactJson(meta, 2)} />
        </details>
      )}
    </>
  );
}

/** The parts of the arguments of an endpoint, in words (docs/reference/scripts.md#arguments). */
const inputLabels = {
  GET: 'Query parameters',
  POST: 'Request body',
  RAW: 'Exact bytes of the body',
};

/** Shows what a run got: that of an endpoint part by part, and an object with its own fields first. */
function Inputs({ args, cause }: CauseProps) {
  const parts =
    cause.executed_by === undefined
      ? Object.entries(inputLabels).map(([name, label]) => [label, args[name]] as const)
      : [['Arguments', cause.event === undefined ? args : ownFieldsFirst(args)] as const];
  const given = parts.filter(([, value]) => Object.keys(value ?? {}).length > 0);
  if (given.length === 0) return <p class="soft">No arguments.</p>;
  return (
    <>
      {given.map(([label, value]) => (
        <ProgramOutput
          key={label}
          label={label}
          text={typeof value === 'string' ? value : writeExactJson(value, 2)}
        />
      ))}
    </>
  );
}

/** Fields that every object has. */
const common =
  /^(id|(creat|updat)ed_at|revision|owner|group|channel(_room)?|(owner|group|other)_permissions)$/;

function ownFieldsFirst(object: Trace['args']): Trace['args'] {
  const fields = Object.entries(object);
  return Object.fromEntries([
    ...fields.filter(([name]) => !common.test(name)),
    ...fields.filter(([name]) => common.test(name)),
  ]);
}

/** What happened to the object of a trigger, in words, and the method of the request. */
const signals: Readonly<Record<string, readonly [verb: string, method?: string]>> = {
  create: ['created', 'POST'],
  update: ['changed'],
  delete: ['deleted', 'DELETE'],
};

interface CauseProps {
  readonly cause: TraceCause;
  readonly args: Trace['args'];
}

/** Says which change of which object started a run, with links to the object, its owner and the request. */
function Cause({ cause: { event, signal = '', changes }, args: { id, owner } }: CauseProps) {
  const instance = instanceOfLocation(currentPath.value);
  if (event === undefined || instance === undefined || typeof id !== 'number') return null;
  const text = `Object ${id}`;
  const place = at`/i/${instance}/data/${event.class}/${id}`;
  const [verb, method] = signals[signal] ?? [signal];
  const changed = changes?.filter((name) => name !== 'revision' && name !== 'updated_at') ?? []; // each change has those
  const log = href(at`/i/${instance}/requests`, { show: 'all', status: '2xx', method });
  return (
    <>
      <p>
        {signal === 'delete' ? text : <a href={href(place)}>{text}</a>} of {event.class} was {verb}
        {changed.length > 0 && `: ${changed.join(', ')}`}.
        {typeof owner === 'number' && (
          <>
            {' '}
            It belongs to <a href={href(at`/i/${instance}/users/${owner}`)}>user {owner}</a>.
          </>
        )}
      </p>
      <p class="soft">
        A run does not say who did it: look for the <a href={log}>request that {verb} it</a>.
      </p>
    </>
  );
}

function ResponseView({ response }: { readonly response: TraceResponse }) {
  const { status, content_type, content, encoding, headers = {} } = response;
  const statusLine = (
    <>
      {status} <code>{content_type}</code>
    </>
  );
  const rows = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  const label = encoding === undefined ? 'Response body' : `Response body, in ${encoding}`;
  return (
    <>
      <Facts rows={[['Response', statusLine], ...rows]} />
      <ProgramOutput label={label} text={formatJson(content)} />
    </>
  );
}
