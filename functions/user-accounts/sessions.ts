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
import type { Operations } from '../../shared/core/routing/route.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import type { SessionData } from '../../shared/table/records/user-accounts.ts';
import { endSessions, openSessionsOf } from '../../shared/users/sessions/user-sessions.ts';
import { existsWhere } from '../../shared/users/settings/user-settings.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { sessionFields } from './fields.ts';

/** Returns the user whose sessions a request is about. */
type UserOf<Loaded extends object> = (context: Context<Loaded>) => UserData;

/** Describes what all paths of sessions have in common. They exist in instances whose users have sessions. */
const form = {
  noun: 'session',
  v1Path: null,
  exists: existsWhere(
    ({ email, guests, codes, providers }) =>
      email !== 'off' || guests || codes || providers.length > 0,
  ),
  response: { name: 'Session', fields: sessionFields },
};

/** Describes a list of sessions, the last used first, and the end of all but that of the request. */
function listOperations<Loaded extends object>(userOf: UserOf<Loaded>): Operations<Loaded> {
  return {
    GET: {
      right: 'L',
      parameters: { ...pageParameters, ...orderingParameters, ...projectionParameters },
      run: async (context) => {
        const sessions = await openSessionsOf(context, userOf(context));
        const rows = sessions
          .toSorted((one, other) => other.data.usedAt - one.data.usedAt)
          .map((item, at) => ({ pk: at + 1, item }));
        const list = linkPath(context, context.route.paths);
        const page = await readPage(context, list, async (range) => cut(rows, range));
        const objects = page.listItems.map(({ item }) => showSession(context, item.data));
        return { status: 200, body: pageBody(page, objects) };
      },
    },
    DELETE: {
      right: 'D',
      run: async (context) => {
        const current = context.session?.data.number;
        await endSessions(context, userOf(context), ({ number }) => number !== current);
        return { status: 204 };
      },
    },
  };
}

/** Describes one session; `current` is none where the request has no key of a session. */
function itemOperations<Loaded extends object>(userOf: UserOf<Loaded>): Operations<Loaded> {
  const isMeant = ({ params, session }: Context<Loaded>) => {
    const wanted = params.session === 'current' ? session?.data.number : Number(params.session);
    return ({ number }: SessionData) => number === wanted;
  };
  return {
    GET: {
      right: 'G',
      parameters: projectionParameters,
      run: async (context) => {
        const sessions = await openSessionsOf(context, userOf(context));
        const found = sessions.map(({ data }) => data).find(isMeant(context));
        if (found === undefined) throw notFound();
        return { status: 200, body: showSession(context, found) };
      },
    },
    DELETE: {
      right: 'D',
      run: async (context) => {
        const ended = await endSessions(context, userOf(context), isMeant(context));
        if (ended === 0) throw notFound();
        return { status: 204 };
      },
    },
  };
}

function showSession({ session, request }: Context, data: SessionData) {
  const shown = {
    id: data.number,
    proof: data.proof,
    provider: data.provider ?? null,
    created_at: data.created_at,
    used_at: timestamp(data.usedAt * 1_000_000),
    ends_at: timestamp(data.until * 1_000_000),
    is_current: data.number === session?.data.number,
  };
  return parseProjection(request.query)(shown, sessionFields);
}

/** Returns the calling user, whichever of its keys the request has. */
function callingUser({ user }: Context): UserData {
  if (user === undefined) throw notFound();
  return user.data;
}

const ownSessions: Route = {
  ...endpointRoute({
    ...form,
    name: 'Own Session List',
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
    operations: listOperations(callingUser),
  }),
  resource: 'Own Session',
  kind: 'list',
};

const ownSession = endpointRoute({
  ...form,
  name: 'Own Session Instance',
  path: '/instances/{instance}/user/sessions/{session}/',
  access: { user: 'GD' },
  operationNames: {
    GET: { id: 'getOwnSession', summary: 'Get a session of the current user' },
    DELETE: { id: 'deleteOwnSession', summary: 'Delete a session of the current user' },
  },
  operations: itemOperations(callingUser),
});

const loads = {
  user: requiredLoad(recordAt(userEntity, ['instance', '{id}']), () => parentNotFound('User')),
};
type OfUser = LoadedOf<typeof loads>;
const userOfPath: UserOf<OfUser> = ({ loaded }) => loaded.user.data;

/* The same for administrators who may change users. */

const userSessions: Route = {
  ...endpointRoute<OfUser>({
    ...form,
    name: 'User Session List',
    description: 'Where a user is logged in.',
    path: '/instances/{instance}/users/{id}/sessions/',
    access: { owner: 'LD', full: 'LD', write: 'LD' },
    loads,
    operationNames: {
      GET: { id: 'listUserSessions', summary: 'List the sessions of a user' },
      DELETE: { id: 'deleteUserSessions', summary: 'Delete all sessions of a user' },
    },
    operations: listOperations(userOfPath),
  }),
  resource: 'User Session',
  kind: 'list',
};

const userSession = endpointRoute<OfUser>({
  ...form,
  name: 'User Session Instance',
  path: '/instances/{instance}/users/{id}/sessions/{session}/',
  access: { owner: 'GD', full: 'GD', write: 'GD' },
  loads,
  operationNames: {
    GET: { id: 'getUserSession', summary: 'Get a session of a user' },
    DELETE: { id: 'deleteUserSession', summary: 'Delete a session of a user' },
  },
  operations: itemOperations(userOfPath),
});

/** Routes of sessions (docs/reference/user-accounts.md#sessions). */
export const sessionRoutes: readonly Route[] = [ownSessions, ownSession, userSessions, userSession];
