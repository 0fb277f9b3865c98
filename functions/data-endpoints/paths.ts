import { classLookup } from '../../shared/classes/class-record.ts';
import {
  givenValue,
  type LoadedOf,
  lookup,
  onlyIf,
  recordAt,
  required,
} from '../../shared/core/resource/loads/loads.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { classEntity, dataEndpointEntity } from '../../shared/store/entities.ts';
import { notFound } from '../../shared/values/errors/errors.ts';

/** The list of data endpoints below the version. */
export const path = '/instances/{instance}/endpoints/data/';
/** The same in version 1. */
export const v1Path = '/instances/{instance}/api/objects/';

/** The data endpoint that a path names. */
export const endpointOfPath = recordAt(dataEndpointEntity, ['instance', 'endpoint']);

const endpoint = required(
  lookup(endpointOfPath, ({ class: name, classNumber: number }) => ({ name, number })),
  notFound,
);

const classOfEndpoint = classLookup(
  recordAt(classEntity, ['instance', endpoint], (instance, { name }) =>
    classEntity.key(instance, name),
  ),
);

/**
 * Loads of routes that use a data endpoint: the endpoint, and the class that it is bound to. A later class of the same
 * name does not count.
 */
export const inEndpoint = {
  endpoint,
  class: required(
    onlyIf(classOfEndpoint, ({ number }, known) => number === givenValue(known, endpoint)?.number),
    notFound,
  ),
};

/** A request that uses a data endpoint. */
export type EndpointContext = Context<LoadedOf<typeof inEndpoint>>;
