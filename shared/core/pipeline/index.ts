import type { Context } from '../routing/route.ts';
import {
  authenticate,
  authorize,
  checkBodyOfKey,
  hideInstance,
  limitRate,
  limitSize,
  loadRecords,
  matchPath,
  negotiate,
  requireActive,
  requireInstance,
  requireMethod,
  requireRight,
  requireText,
  settleCaller,
} from './checks.ts';
import { errorForm } from './errors.ts';
import {
  type Arrived,
  beginExchange,
  type Formed,
  type Responded,
  type Service,
  type Settled,
} from './exchange.ts';
import { isUnchanged } from './load.ts';
import { respond } from './respond.ts';
import { sessionsWith } from './session/open-group.ts';
import { runSteps, type StepsResult, startWith } from './steps.ts';

/*
 * THE PIPELINE: every check of a request, in the order of docs/reference/requests.md#order-of-checks. The first that
 * throws determines the response.
 */

/** The checks that are shared by items of a batch that differ only in their bodies. */
const sharedChecks = startWith<Arrived>()
  .add(matchPath)
  .add(limitSize)
  .add(authenticate)
  .add(loadRecords)
  .add(requireInstance)
  .add(negotiate)
  .add(checkBodyOfKey)
  .add(settleCaller)
  .add(hideInstance)
  .add(requireActive)
  .add(requireRight);

/** The checks of a batch's items that follow on the limit of the rate, which counts each of them. */
const lastChecks = startWith<Settled>().add(requireMethod).add(authorize).add(requireText);

/** The checks of a single request. */
const allChecks = sharedChecks
  .add(limitRate)
  .add(requireMethod)
  .add(authorize)
  .add(requireText)
  .add(respond);

/** The checks of a request whose response takes long, once more. */
const repeatedChecks = startWith<Formed>()
  .add(loadRecords)
  .add(requireInstance)
  .add(settleCaller)
  .add(hideInstance)
  .add(requireActive)
  .add(requireRight)
  .add(requireMethod)
  .add(authorize);

async function renewed(exchange: Formed & Partial<Settled>): Promise<Context> {
  const { loading, loaded, context } = exchange;
  // the checks depend on the records alone
  if (context !== undefined && (await isUnchanged(loading, loaded))) return context;
  const outcome = await runSteps(repeatedChecks, { ...exchange });
  if (!outcome.isDone) throw outcome.error;
  return outcome.exchange.context;
}

const sessionOf = sessionsWith({ shared: sharedChecks, last: lastChecks, renewed });

/** Serves a single request; the outcome has everything known about it, also for error responses. */
export function serve(
  service: Service,
  arrived: Pick<Arrived, 'request' | 'bodyBytes' | 'startedMs'>,
): Promise<StepsResult<Arrived, Responded>> {
  const { request, bodyBytes, startedMs } = arrived;
  const form = errorForm(request);
  const first = { request, bodyBytes, startedMs, form, sessionOf, renewed };
  return runSteps(allChecks, beginExchange(service, first));
}
