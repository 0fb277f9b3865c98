import {
  type Context,
  endpointRoute,
  type LoadedOf,
  notFound,
  type Route,
  recordAt,
} from '../../shared/core/family.ts';
import { linkPath } from '../../shared/core/resource/links.ts';
import { requiredLoad } from '../../shared/core/resource/loads/loads.ts';
import { cut, pageBody, readPage } from '../../shared/core/resource/page.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import {
  orderingParameters,
  pageParameters,
  projectionParameters,
} from '../../shared/core/resource/query-parameters.ts';
import type { Stored } from '../../shared/store/store.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import type { SessionData } from '../../shared/table/records/user-accounts.ts';
import { endSessions, openSessionsOf } from '../../shared/users/sessions/user-sessions.ts';
import { existsWhere } from '../../shared/users/settings/user-settings.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { sessionFields } from './fields.ts';
import { userSessionRoute } from './user-session.ts';

/** Instances whose users have sessions. */
const exists = existsWhere(
  ({ email, guests, codes, providers }) =>
    email !== 'off' || guests || codes || providers.length > 0,
);

const form = { v1Path: null, exists, response: { name: 'Session', fields: sessionFields } };
const parameters = { ...pageParameters, ...orderingParameters, ...projectionParameters };

/** The sessions of the calling user, whichever key of it the request has. */
const ownSessions: Route = {
  ...endpointRoute({
    ...form,
    name: 'Own Session List',
    noun: 'session',
    description: 'Where the calling user is logged in.',
    path: '/instances/{instance}/user/sessions/',
    access: { user: 'LD' },
    operationNames: {
      GET: { id: 'listOwnSessions', summary: 'List the sessions of the current user' },
      DELETE: {
        id: 'deleteOtherSessions',
        summary: 'Delete all other sessions of the current user',
      },
    },
    operations: {
      GET: {
        right: 'L',
        parameters,
        run: (context) => listSessions(context, callerOf(context)),
      },
      DELETE: {
        right: 'D',
        run: async (context) => {
          const { data } = callerOf(context);
          await endSessions(context, data, ({ number }) => number !== context.session?.data.number);
          return { status: 204 };
        },
      },
    },
  }),
  resource: 'Own Session',
  kind: 'list',
};

const ownSession = endpointRoute({
  ...form,
  name: 'Own Session Instance',
  noun: 'session',
  path: '/instances/{instance}/user/sessions/{session}/',
  access: { user: 'GD' },
  operationNames: {
    GET: { id: 'getOwnSession', summary: 'Get a session of the current user' },
    DELETE: { id: 'deleteOwnSession', summary: 'Delete a session of the current user' },
  },
  operations: {
    GET: {
      right: 'G',
      parameters: projectionParameters,
      run: async (context) => {
        const sessions = await openSessionsOf(context, callerOf(context).data);
        const found = sessions.find(({ data: { number } }) => number === numberIn(context));
        if (found === undefined) throw notFound();
        const project = parseProjection(context.request.query);
        return { status: 200, body: project(showSession(context, found.data), sessionFields) };
      },
    },
    DELETE: {
      right: 'D',
      run: async (context) => {
        const wanted = numberIn(context);
        const { data } = callerOf(context);
        if ((await endSessions(context, data, ({ number }) => number === wanted)) === 0) {
          throw notFound();
        }
        return { status: 204 };
      },
    },
  },
});

/** Returns the number of the session that the path names; `current` has none where the key is the user's own. */
function numberIn({ params, session }: Context): number | undefined {
  return params.session === 'current' ? session?.data.number : Number(params.session);
}

const userLoads = {
  user: requiredLoad(recordAt(userEntity, ['instance', '{id}']), () => parentNotFound('User')),
};
type OfUser = LoadedOf<typeof userLoads>;

/** The sessions of any user, for administrators who may change users. */
const userSessions: Route = {
  ...endpointRoute<OfUser>({
    ...form,
    name: 'User Session List',
    noun: 'session',
    description: 'Where a user is logged in.',
    path: '/instances/{instance}/users/{id}/sessions/',
    access: { owner: 'LD', full: 'LD', write: 'LD' },
    loads: userLoads,
    operationNames: {
      GET: { id: 'listUserSessions', summary: 'List the sessions of a user' },
      DELETE: { id: 'deleteUserSessions', summary: 'Delete all sessions of a user' },
    },
    operations: {
      GET: {
        right: 'L',
        parameters,
        run: (context) => listSessions(context, context.loaded.user),
      },
      DELETE: {
        right: 'D',
        run: async (context) => {
          await endSessions(context, context.loaded.user.data, () => true);
          return { status: 204 };
        },
      },
    },
  }),
  resource: 'User Session',
  kind: 'list',
};

function callerOf({ user }: Context): Stored<UserData> {
  if (user === undefined) throw notFound();
  return user;
}

/** Lists the sessions of a user, the last used first. */
async function listSessions(context: Context, { data }: Stored<UserData>) {
  const sessions = await openSessionsOf(context, data);
  const rows = sessions
    .toSorted((one, other) => other.data.usedAt - one.data.usedAt)
    .map((item, at) => ({ pk: at + 1, item }));
  const list = linkPath(context, context.route.paths);
  const page = await readPage(context, list, async (range) => cut(rows, range));
  const project = parseProjection(context.request.query);
  const objects = page.listItems.map(({ item }) =>
    project(showSession(context, item.data), sessionFields),
  );
  return { status: 200, body: pageBody(page, objects) };
}

function showSession({ session }: Context, data: SessionData) {
  return {
    id: data.number,
    proof: data.proof,
    provider: data.provider ?? null,
    created_at: data.created_at,
    used_at: timestamp(data.usedAt * 1_000_000),
    ends_at: timestamp(data.until * 1_000_000),
    is_current: data.number === session?.data.number,
  };
}

/** Routes of sessions (docs/reference/user-accounts.md#sessions). */
export const sessionRoutes: readonly Route[] = [
  ownSessions,
  ownSession,
  userSessions,
  userSessionRoute(exists),
];
