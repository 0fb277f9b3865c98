import { isAllowed } from '../../values/access.ts';
import { ApiError } from '../../values/errors/errors.ts';
import type { JsonObject } from '../../values/json/json.ts';
import type { Request, Response } from '../http/message.ts';
import { checkVisible, describe } from '../pipeline/rights.ts';
import type { Context, Method } from '../resource/route.ts';

/** What a page offers in addition to the response. */
export interface Offer {
  /** Response to OPTIONS for the same client. */
  readonly description: JsonObject;
  readonly isList: boolean;
  /** A GET runs a client's code. */
  readonly runsCode: boolean;
  /** Methods that the access table allows to the client; an item may have stricter rules of its own. */
  readonly methods: readonly Method[];
}

/**
 * Returns what the client may know and do at this path. Undefined after it denied access, or where the resource does
 * not exist; a path that cannot be read offers its other methods instead.
 */
export function offerOf(
  { method }: Request,
  { status }: Response,
  context: Context | undefined,
): Offer | undefined {
  const isHere = (status >= 200 && status < 300) || status === 400 || status === 405;
  if (context === undefined || !isHere || !reads.includes(method)) return undefined;
  try {
    checkVisible(context);
    const { route, actor } = context;
    const allowed = Object.entries(route.operations).filter(([, operation]) =>
      isAllowed(route.access, actor, operation.right),
    );
    return {
      description: describe(context),
      isList: route.kind === 'list',
      runsCode: route.operations.GET?.runsCode === true,
      methods: allowed.map(([name]) => name as Method), // the keys are methods
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

const reads: readonly string[] = ['GET', 'HEAD', 'OPTIONS']; // for these, the records for a description were read
