import { isAllowed } from '../../values/access.ts';
import { ApiError } from '../../values/errors/errors.ts';
import type { JsonObject } from '../../values/json/json.ts';
import type { Request, Response } from '../http/message.ts';
import { checkVisible, describe } from '../pipeline/rights.ts';
import type { Context, Method } from '../resource/route.ts';

/** What a page offers beside the answer. */
export interface Offer {
  /** What OPTIONS answers to the same caller. */
  readonly description: JsonObject;
  readonly isList: boolean;
  /** To read it is to run code of a client. */
  readonly runsCode: boolean;
  /** Methods that the access table gives to the caller; a thing may have stricter rules of its own. */
  readonly methods: readonly Method[];
}

/**
 * What the caller may know of the place and do there. Nothing for a place that has refused it, or where the thing is
 * not there; a place that cannot be read offers what it can do instead.
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

const reads: readonly string[] = ['GET', 'HEAD', 'OPTIONS']; // for these was read what a description needs
