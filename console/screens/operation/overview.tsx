import { at, below, joinPaths } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, readAll, send } from '../../core/api.ts';
import { formatNumber } from '../../core/format.ts';
import { useLoad, useRecord } from '../../core/load.ts';
import { roleOf, usageRefusal } from '../../core/roles.ts';
import { href, hrefOfForm, type ScreenProps } from '../../core/router.ts';
import { lens } from '../../core/session.ts';
import { AddLink } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { changeText } from '../requests/change-text.ts';
import {
  type LoggedRequest,
  logPath,
  shortPath,
  shortRoute,
  targetOf,
} from '../requests/request-data.ts';
import { Connect, type CountedClass } from './connect.tsx';
import { AttentionLine, InstanceFigures, settledValue, useFailures } from './findings.tsx';
import type { InstanceRecord, UsageRecord } from './operation-data.ts';

const dayMs = 86_400_000;
const shownChanges = 6;

/** An instance at a glance: what happened in 24 hours, what it stores, and how to connect an app. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const record = useRecord<InstanceRecord>(at`instances/${instance}/`);
  const contents = useLoad(() => readContents(instance), [instance]);
  const failures = useFailures(instance);
  const { requests, changes } = contents.data ?? {};
  const role = lens.value?.instance === instance ? undefined : record.data && roleOf(record.data);
  return (
    <ScreenFrame title={instance} above={[{ text: 'Instances', href: '#/' }]}>
      <LoadedData of={record}>
        {({ description, owner, created_at }) => (
          <p class="about">
            {description && `${description} · `}
            {role !== 'owner' && `Owner: ${owner.email} · `}
            {role && `Your role: ${role} · `}
            Created <Time value={created_at} />
          </p>
        )}
      </LoadedData>
      <LoadedData of={contents}>
        {({ classes, hasScripts }) => (
          <>
            {classes.length === 0 && !hasScripts ? (
              <NextSteps instance={instance} />
            ) : (
              <LoadedData of={failures}>
                {(failed) => (
                  <>
                    <AttentionLine instance={instance} failures={failed} />
                    <InstanceFigures
                      instance={instance}
                      failures={failed}
                      first={[['Requests, 24 h', requests, href(at`/i/${instance}/usage`)]]}
                    />
                  </>
                )}
              </LoadedData>
            )}
            <div class="columns">
              <Connect instance={instance} classes={classes} />
              {changes !== undefined && <Changes instance={instance} changes={changes} />}
            </div>
          </>
        )}
      </LoadedData>
    </ScreenFrame>
  );
}

/** Reads what an instance has, and what happened in it; undefined: the caller may not see it. */
async function readContents(instance: string) {
  const base = at`instances/${instance}/`;
  const start = new Date(Date.now() - dayMs).toISOString().replace(/:.*/, ':00:00.000000Z');
  const page = <Item,>(path: typeof base, query: object) =>
    send<ApiPage<Item>>({ method: 'GET', path, query: { ...query } });
  const fields = { fields: 'name,objects_count,other_permissions', page_size: 100 };
  const [classes, scripts, usage, log] = await Promise.allSettled([
    readAll<CountedClass>(below(base)`classes/`, fields),
    page(below(base)`snippets/scripts/`, { page_size: 1, fields: 'id' }),
    readAll<UsageRecord>(at`usage/hourly/`, { instance, start, page_size: 100 }),
    page<LoggedRequest>(logPath(instance), {
      status: '2xx',
      method: 'POST,PUT,PATCH,DELETE',
      page_size: 100,
    }),
  ]);
  const rows = usageRefusal(instance) === undefined ? settledValue(usage) : undefined;
  const calls = rows?.filter(({ source }) => source === 'api');
  return {
    classes: settledValue(classes)?.filter(({ name }) => name !== 'user_profile') ?? [],
    hasScripts: settledValue(scripts)?.objects.length === 1,
    requests: calls && formatNumber(calls.reduce((sum, { value }) => sum + value, 0)),
    changes: settledValue(log)
      ?.objects.filter((request) => !hasOnlyRead(request))
      .slice(0, shownChanges),
  };
}

/** Checks whether a request has changed nothing: a preview of a template, or a batch in which the console has read. */
function hasOnlyRead({ route, parameters }: LoggedRequest): boolean {
  const path = shortRoute(route);
  return path.endsWith('/render/') || (path === '/batch/' && parameters.includes('format'));
}

function NextSteps({ instance }: { readonly instance: string }) {
  return (
    <Empty>
      <p>This instance is empty.</p>
      <p class="actions centred">
        <AddLink
          sends={{ method: 'POST', path: at`instances/${instance}/classes/` }}
          href={href(at`/i/${instance}/structure`)}
          text="New class"
        />
        <AddLink
          class="button"
          sends={{ method: 'POST', path: at`instances/${instance}/snippets/scripts/` }}
          href={hrefOfForm(at`/i/${instance}/scripts`)}
          text="New script"
        />
      </p>
      <p>Then connect an app.</p>
    </Empty>
  );
}

interface ChangesProps {
  readonly instance: string;
  readonly changes: readonly LoggedRequest[];
}

function Changes({ instance, changes }: ChangesProps) {
  return (
    <Card title="Latest changes" id="changes">
      {changes.length === 0 ? (
        <p class="soft">No changes yet.</p>
      ) : (
        <ul class="plain lines">
          {changes.map((change) => (
            <Change key={change.request_id} {...{ instance, change }} />
          ))}
        </ul>
      )}
    </Card>
  );
}

interface ChangeProps {
  readonly instance: string;
  readonly change: LoggedRequest;
}

/** A change, with links to what was changed, as long as it is there, and to the request. */
function Change({ instance, change }: ChangeProps) {
  const { method, route, ids, time, request_id: request } = change;
  const target = method === 'DELETE' ? undefined : targetOf(change)?.place;
  const isObject = route.endsWith('/objects/{id}/') && target !== undefined;
  const place = isObject ? below(target)`/${ids.id ?? ''}` : target;
  const log = href(at`/i/${instance}/requests`, { show: 'all', request });
  return (
    <li>
      <a href={place === undefined ? log : href(joinPaths(at`/i/${instance}/`, place))}>
        {changeText(change) ?? `${method} ${shortPath(change)}`}
      </a>
      <a href={log} title="The request">
        <Time value={time} />
      </a>
    </li>
  );
}
