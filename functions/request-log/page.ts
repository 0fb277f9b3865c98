import { type Context, instanceOf } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { linkPath } from '../../shared/core/resource/links.ts';
import { neighbours, type PageBody, pageBody } from '../../shared/core/resource/page.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import { openScan } from '../../shared/ports/limits/scans.ts';
import {
  type RequestPosition,
  type RequestRange,
  type RequestsRead,
  requestPosition,
} from '../../shared/ports/request-log.ts';
import { detailError } from '../../shared/values/errors/errors.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { inListOrder, type Paging, parsePaging } from '../../shared/values/paging.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { loggedFields, showRequest } from './fields.ts';
import { readLogRange } from './range.ts';

const lastPk = 2_147_483_647;

/**
 * Returns the page that a request asks for. A read whose time ended makes a short page, whose link leads on.
 *
 * @throws ApiError 400 for a bad parameter, 404 where requests are not logged
 */
export async function readLogPage(context: Context): Promise<PageBody> {
  const { request, route, platform } = context;
  const { offReason } = platform.requestLog;
  if (offReason !== undefined) throw detailError(404, offReason, 'not_found');
  const paging = parsePaging((name) => queryValue(request.query, name), false);
  const range = readLogRange(context, paging);
  const { records, stoppedMicros } = await readRecords(context, range, paging);
  const ahead = records.length > paging.size;
  const shown = records.slice(0, paging.size);
  const edges = shown.map((record) => toEdge(requestPosition(record)));
  if (stoppedMicros !== undefined) {
    edges.push(toEdge({ atMicros: stoppedMicros, pk: range.descending ? 0 : lastPk }));
  }
  const size = stoppedMicros === undefined ? paging.size : edges.length;
  const call = { route, path: linkPath(context, route.paths), query: request.query };
  const links = neighbours(
    { ...call, paging: { ...paging, size } },
    inListOrder(edges, paging),
    stoppedMicros !== undefined || ahead,
  );
  const project = parseProjection(request.query);
  const objects = inListOrder(shown, paging).map((record) => {
    return project(showRequest(record), loggedFields);
  });
  return pageBody(links, objects);
}

async function readRecords(
  context: Context,
  range: RequestRange,
  { size }: Paging,
): Promise<RequestsRead> {
  if (size === 0) return { records: [], stoppedMicros: undefined };
  const instance = instanceOf(context);
  const { platform, instanceName } = context;
  const scan = openScan({ platform, instance, instanceName });
  try {
    return await platform.requestLog.read(ownerOfData(instance), range, scan);
  } finally {
    scan.close();
  }
}

function toEdge({ atMicros, pk }: RequestPosition) {
  return { pk, lastValue: timestamp(atMicros) };
}
