import { at, joinPaths } from '../../../shared/values/text/request-path.ts';
import { formatDuration, formatMoment, formatSize } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { href, setQuery } from '../../core/router.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { LoadedData, Problem } from '../../parts/loaded.tsx';
import { findTarget } from './find-run.ts';
import { type LoggedRequest, logPath, readLog, shortPath, targetOf } from './request-data.ts';

interface RequestDialogProps {
  readonly instance: string;
  /** Its id, from the place. */
  readonly id: string;
}

/** Everything that the log has about a request, with links to what it was about. */
export function RequestDialog({ instance, id }: RequestDialogProps) {
  const request = useLoad(
    (signal) =>
      readLog({ method: 'GET', path: logPath(instance), query: { request_id: id }, signal }),
    [instance, id],
  );
  return (
    <Dialog title="Request" onClose={() => setQuery({ request: undefined })}>
      <LoadedData of={request}>
        {({ objects: [found] }) =>
          found === undefined ? (
            <Problem message="The log of the last 24 hours does not have this request." />
          ) : (
            <Details instance={instance} request={found} />
          )
        }
      </LoadedData>
    </Dialog>
  );
}

interface ItemProps {
  readonly instance: string;
  readonly request: LoggedRequest;
}

function Details({ instance, request }: ItemProps) {
  const { response_bytes: sent, parameters } = request;
  return (
    <Facts
      rows={[
        ['Request', <code key="path">{`${request.method} ${shortPath(request)}`}</code>],
        ['Status', <StatusBadge key="status" {...request} />],
        ['Time', formatMoment(request.time)],
        ['Duration', formatDuration(request.duration_ms)],
        ['Caller', <CallerLink key="caller" instance={instance} request={request} />],
        ['About', <Target key="about" instance={instance} request={request} />],
        ['Parameters', parameters.join(', ') || 'none'],
        ['Received', formatSize(request.request_bytes)],
        ['Sent', sent === null ? 'a stream' : formatSize(sent)],
        ['Route', <code key="route">{request.route}</code>],
        ['Request id', <code key="id">{request.request_id}</code>],
      ]}
    />
  );
}

/** Links to what a request was about, and to the run that it started. */
function Target({ instance, request }: ItemProps) {
  const known = targetOf(request);
  const found = useLoad(
    (signal) => findTarget(instance, request, signal),
    [instance, request.request_id],
  ).data;
  const target = found ?? known;
  if (target === undefined) return <>the instance</>;
  const place = joinPaths(at`/i/${instance}/`, target.place);
  const run = found?.run;
  return (
    <>
      <a href={href(place)}>{target.key}</a>
      {run !== undefined && (
        <>
          , <a href={href(place, { run: String(run) })}>run {run}</a>
        </>
      )}
    </>
  );
}

/** The status of a response. */
export function StatusBadge({ status }: Pick<LoggedRequest, 'status'>) {
  return <span class={`badge ${status < 400 ? 'good' : 'bad'}`}>{status}</span>;
}

/** Who sent a request, with a link where that has a screen. */
export function CallerLink({ instance, request: { caller, caller_id: id } }: ItemProps) {
  const place = {
    user: at`/i/${instance}/users/${id ?? 0}`,
    api_key: at`/i/${instance}/keys`,
    account: at`/i/${instance}/admins`,
    script: undefined,
    anonymous: undefined,
    unknown: undefined,
  }[caller ?? 'unknown'];
  const text = `${caller?.replace('api_key', 'API key') ?? 'unknown'} ${id ?? ''}`.trim();
  return place === undefined ? <span>{text}</span> : <a href={href(place)}>{text}</a>;
}
