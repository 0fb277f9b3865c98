import {
  endpointRoute,
  type LoadedOf,
  notFound,
  type Route,
  recordAt,
} from '../../shared/core/family.ts';
import { requiredLoad } from '../../shared/core/resource/loads/loads.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import { endSessions } from '../../shared/users/sessions/user-sessions.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { sessionFields } from './fields.ts';

const loads = {
  user: requiredLoad(recordAt(userEntity, ['instance', '{id}']), () => parentNotFound('User')),
};

/** Returns the route by which administrators who may change users end one session of a user. */
export function userSessionRoute(exists: Route['exists']): Route {
  return endpointRoute<LoadedOf<typeof loads>>({
    name: 'User Session Instance',
    noun: 'session',
    path: '/instances/{instance}/users/{id}/sessions/{session}/',
    v1Path: null,
    exists,
    access: { owner: 'D', full: 'D', write: 'D' },
    loads,
    response: { name: 'Session', fields: sessionFields },
    operationNames: {
      DELETE: { id: 'deleteUserSession', summary: 'Delete a session of a user' },
    },
    operations: {
      DELETE: {
        right: 'D',
        run: async (context) => {
          const { params, loaded } = context;
          const wanted = Number(params.session); // none for `current`
          const ended = await endSessions(
            context,
            loaded.user.data,
            ({ number }) => number === wanted,
          );
          if (ended === 0) throw notFound();
          return { status: 204 };
        },
      },
    },
  });
}
