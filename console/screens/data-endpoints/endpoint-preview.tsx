import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { type ApiPage, send, urlOf } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import type { ApiRequest } from '../../core/request.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { toCurl, toFetch } from '../../parts/request-text.ts';
import { Table } from '../../parts/table.tsx';
import { type DataEndpoint, systemFields } from './data-endpoint-data.ts';

interface EndpointPreviewProps {
  readonly instance: string;
  readonly endpoint: DataEndpoint;
}

type DataObject = Readonly<Record<string, unknown>>;

const shownObjects = 5;
const shownCharacters = 200;

/** How to call a data endpoint, and its first objects. */
export function EndpointPreview({ instance, endpoint }: EndpointPreviewProps) {
  const call: ApiRequest = {
    method: 'GET',
    path: at`instances/${instance}/endpoints/data/${endpoint.name}/get/`,
  };
  const page = useLoad<ApiPage<DataObject>>(
    (signal) => send({ ...call, query: { page_size: shownObjects }, signal }),
    [call.path, endpoint],
  );
  return (
    <section aria-labelledby="first">
      <h2>Call it</h2>
      <p class="address">
        <code>GET {urlOf(call)}</code>
      </p>
      <div class="actions">
        <CopyButton text={() => toCurl(call)} label="Copy as curl" />
        <CopyButton text={() => toFetch(call)} label="Copy as JavaScript" />
        <CopyButton text={() => toTyped(endpoint.name)} label="Copy for the typed client" />
      </div>
      <h2 id="first">Its first objects</h2>
      <LoadedData of={page}>
        {({ objects }) =>
          objects.length === 0 ? (
            <p class="soft">No object matches.</p>
          ) : (
            <Table
              caption="First objects"
              columns={columnsOf(objects)}
              rows={objects.map((object, index) => ({ object, index }))}
              keyOf={({ index }) => index}
            />
          )
        }
      </LoadedData>
    </section>
  );
}

/** The call with the client that `groundwork types` writes. */
function toTyped(name: string): string {
  return [
    "import { createClient } from './client.ts'; // written by: groundwork types --out client.ts",
    '',
    'const db = createClient({ url, instance, apiKey });',
    `const { objects } = await db.endpoints[${JSON.stringify(name)}].list();`,
  ].join('\n');
}

interface ShownObject {
  readonly object: DataObject;
  readonly index: number;
}

function columnsOf(objects: readonly DataObject[]) {
  const all = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const own = all.filter((name) => !systemFields.includes(name));
  const system = systemFields.filter((name) => name !== 'id' && all.includes(name));
  return ['id', ...own, ...system]
    .filter((name) => name !== 'links' && all.includes(name))
    .map((name) => ({ name, cell: ({ object }: ShownObject) => textOf(object[name]) }));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : writeExactJson(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
