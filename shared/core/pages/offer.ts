import { isAllowed } from '../../values/access.ts';
import { ApiError } from '../../values/errors/errors.ts';
import type { JsonObject } from '../../values/json/json.ts';
import type { Request, Response } from '../http/message.ts';
import type { PageHints } from '../routing/page-hints.ts';
import type { Context, Method } from '../routing/route.ts';
import type { PageRun } from './run.ts';
import { pageTitle } from './views/title.ts';

/** Additional content of a page: the description of a resource and the methods that the client may use. */
export interface Offer {
  /** In plain English; the name in the description is the one that clients know. */
  readonly title: string;
  /** Response body to OPTIONS for the same client. */
  readonly description: JsonObject;
  readonly hints: PageHints | undefined;
  readonly isList: boolean;
  readonly isItem: boolean;
  /** The run that the item links to. */
  readonly run?: PageRun | undefined;
  /** True when a GET runs a client's code. */
  readonly runsCode: boolean;
  /** Methods that the access table allows to the client; the item may have stricter rules. */
  readonly methods: readonly Method[];
}

/** The route of a page, and how it is described. */
interface Described {
  readonly context: Context | undefined;
  readonly describe: (context: Context) => JsonObject;
}

/**
 * Returns the description and the allowed methods of this path. Returns undefined when access is denied or the resource
 * does not exist; a path that cannot be read returns its other methods.
 */
export function offerOf(
  { method, path }: Request,
  { status }: Response,
  { context, describe }: Described,
): Offer | undefined {
  const exists = (status >= 200 && status < 300) || status === 400 || status === 405;
  if (context === undefined || !exists || !reads.includes(method)) return undefined;
  try {
    const description = describe(context);
    const { route, actor } = context;
    const allowed = Object.entries(route.operations).filter(([, operation]) =>
      isAllowed(route.access, actor, operation.right),
    );
    return {
      title: pageTitle(route, path),
      description,
      hints: route.forms.pageHints?.(context),
      isList: route.kind === 'list',
      isItem: route.kind === 'detail',
      runsCode: route.operations.GET?.runsCode === true,
      methods: allowed.map(([name]) => name as Method), // the keys are methods
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

const reads: readonly string[] = ['GET', 'HEAD', 'OPTIONS']; // these methods load the records that a description needs
