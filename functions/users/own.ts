import { endpointRoute, instanceOf, notFound } from '../../shared/core/family.ts';
import { inputOf } from '../../shared/core/resource/input.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import { projectionParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Operation } from '../../shared/core/routing/route.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import { userFields, userFieldsAt } from '../../shared/users/fields.ts';
import {
  profileLoads,
  type UserContext,
  userLinks,
  viewUser,
  wholeUser,
} from '../../shared/users/show-user.ts';
import { isSameUser } from '../../shared/users/user-access.ts';
import { updateOwnUser } from '../../shared/users/write-user.ts';

/**
 * Route of the calling user (docs/reference/users-and-groups.md#own-user). No other actor can use it, not even
 * administrators.
 */
export const ownRoute = endpointRoute({
  name: 'Own User',
  noun: 'current user',
  path: '/instances/{instance}/user/',
  loads: profileLoads,
  access: { user: 'GUDA' }, // other methods get an error response
  operations: {
    GET: {
      right: 'G',
      parameters: projectionParameters,
      run: async (context) => {
        if (context.user === undefined) throw notFound();
        const body = wholeUser(context, await viewUser(context, context.user.data));
        const project = parseProjection(context.request.query);
        return { status: 200, body: project(body, userFields) };
      },
    },
    PUT: updateOperation('replace'),
    PATCH: updateOperation('patch'),
  },
  forms: { PUT: userFields, links: userLinks, fieldsAt: userFieldsAt },
});

function updateOperation(mode: 'replace' | 'patch'): Operation<UserContext['loaded']> {
  return {
    right: 'U',
    run: async (context) => {
      const input = inputOf(userFields, await context.body(), mode);
      const view = await retryOnConflict(async (isFirst) => {
        const read = context.user;
        const { store } = context.platform;
        const current =
          isFirst || read === undefined
            ? read
            : await userEntity.read(store, instanceOf(context), read.data.id);
        if (read === undefined || current === undefined || !isSameUser(read.data, current.data)) {
          throw notFound(); // deleted since, or another person's
        }
        return updateOwnUser(context, { current, input });
      });
      return { status: 200, body: wholeUser(context, view) };
    },
  };
}
