import { endpointRoute } from '../../shared/core/resource/endpoint.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import { projectionParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Operation } from '../../shared/core/resource/route.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { as, userEntity } from '../../shared/store/entities.ts';
import { profileReads, userLinks, viewUser, wholeUser } from '../../shared/users/show-user.ts';
import { notFound } from '../../shared/values/errors/errors.ts';
import { userFields, userFieldsAt } from './fields.ts';
import { updateUser } from './write.ts';

/**
 * Route of the calling user (docs/reference/users-and-groups.md#own-user). No other actor can use it, not even
 * administrators.
 */
export const ownRoute = endpointRoute({
  name: 'Own User',
  noun: 'current user',
  path: '/instances/{instance}/user/',
  access: { user: 'GUDA' }, // other methods get an error response
  operations: {
    GET: {
      right: 'G',
      parameters: projectionParameters,
      reads: profileReads,
      run: async (context) => {
        if (context.user === undefined) throw notFound();
        const body = wholeUser(context, await viewUser(context, context.user.data));
        const trim = parseProjection(context.request.query);
        return { status: 200, body: trim === undefined ? body : trim(body, userFields) };
      },
    },
    PUT: updateOperation('replace'),
    PATCH: updateOperation('patch'),
  },
  forms: { PUT: userFields, links: userLinks, fieldsAt: userFieldsAt },
});

function updateOperation(mode: 'replace' | 'patch'): Operation {
  return {
    right: 'U',
    reads: profileReads,
    run: async (context) => {
      const body = await context.body();
      const view = await retryOnConflict(async (isFirst) => {
        const read = context.user;
        const item =
          isFirst || read === undefined ? read : (await context.platform.store.get([read.key]))[0];
        const current = as(userEntity, item);
        if (current === undefined) throw notFound(); // deleted since
        return updateUser(context, { current, body, mode });
      });
      return { status: 200, body: wholeUser(context, view) };
    },
  };
}
