import { classLookup, classOfObjects } from '../../shared/classes/class-record.ts';
import { type Context, type LoadedOf, notFound, recordAt } from '../../shared/core/family.ts';
import { givenValue, lookup, requiredLoad } from '../../shared/core/resource/loads/loads.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import { dataEndpointEntity } from '../../shared/table/entities/endpoints.ts';
import { classNumbersEntity } from '../../shared/table/entities/instances.ts';

/** The data endpoint that a path names. */
export const dataEndpointOfPath = recordAt(dataEndpointEntity, ['instance', '{endpoint}']);

const endpoint = requiredLoad(
  lookup(dataEndpointOfPath, ({ class: name, classNumber: number }) => ({ name, number })),
  notFound,
);

const classOfName = classLookup(
  recordAt(classEntity, ['instance', endpoint], (instance, { name }) =>
    classEntity.key(instance, name),
  ),
);

/** The class that the endpoint is bound to. A later class of the same name does not count. */
const boundClass: typeof classOfName = {
  ...classOfName,
  take: (item, known) => {
    const found = classOfName.take(item, known);
    return found?.data.number === givenValue(known, endpoint)?.number ? found : undefined;
  },
};

/** Loads of routes that use a data endpoint: the endpoint and its class. */
export const inEndpoint = {
  endpoint,
  class: classOfObjects(requiredLoad(boundClass, notFound)),
};

/** A request that uses a data endpoint. */
export type DataEndpointContext = Context<LoadedOf<typeof inEndpoint>>;

/** Loads of operations on endpoints: the numbers of the instance's classes, as an endpoint exists while its class does. */
export const numbersLoads = { classNumbers: recordAt(classNumbersEntity, ['instanceName']) };

/** A request with these numbers. */
export type NumbersContext = Context<LoadedOf<typeof numbersLoads>>;
