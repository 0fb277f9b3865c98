// biome-ignore-all lint/performance/noBarrelFile: the one import of families, whose functions have all of it

/* What the author of a family imports to declare resources (CONTRIBUTING.md#a-new-family). */

export type { Grants } from '../ports/grants.ts';
export { allRights } from '../values/access.ts';
export { notFound } from '../values/errors/errors.ts';
export { callingAccount, idsFrom, instanceOf, reservedId } from './resource/context-values.ts';
export { endpointRoute } from './resource/endpoint.ts';
export { defineFields, readOnlyField as computed, textField as text } from './resource/field.ts';
export { validInput } from './resource/input.ts';
export type { ListOf, Update } from './resource/lists/list-resource.ts';
export { listRoutes } from './resource/lists/list-routes.ts';
export { type LoadedOf, recordAt } from './resource/loads/loads.ts';
export { itemsOf as rowsOf } from './resource/page.ts';
export { prefixParameters } from './resource/query-parameters.ts';
export { showFields } from './resource/show.ts';
export type { Fields } from './routing/forms.ts';
export type { Context, Family, FamilyJobs, Route } from './routing/route.ts';
