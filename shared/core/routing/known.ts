import type { RecordClaims } from '../../values/keys/credentials.ts';
import type { ParameterValue, pathParameters } from '../../values/text/path-parameters.ts';

/** Path parameters in their stored form; one that cannot name anything is absent. A link is not checked. */
export type Params = {
  readonly [Name in keyof typeof pathParameters]?: ParameterValue<Name>;
};

/** What is known about a request while records are still being read. */
export interface Known {
  readonly params: Params;
  /** Id of the account whose key the request has. */
  readonly account: number | undefined;
  /** Data id of the instance: proved by the name's record, or still a cached value. */
  readonly instance: number | undefined;
  /** Claims of the public link in the path; it is genuine. */
  readonly link: RecordClaims | undefined;
  /** Values by the lookup that gives them: proved by its record, or still cached. */
  readonly given: ReadonlyMap<object, unknown>;
}

/** Ids and claims of a request of which keys of records are made, by name. */
export interface KnownValues {
  readonly account: number;
  readonly instance: number;
  /** Name of the instance in the path. */
  readonly instanceName: string;
  readonly link: RecordClaims;
}

/** The name of a value of a request: an id that was found for it, or a `{parameter}` of its path. */
export type KnownName = keyof KnownValues | `{${string}}`;

/** The type of a value by its name. */
export type KnownValue<Name> = Name extends keyof KnownValues
  ? KnownValues[Name]
  : Name extends `{${infer Parameter}}`
    ? ParameterValue<Parameter>
    : never;

/** Returns the function that reads a value, which is undefined while it is not known, and where it does not exist. */
export function readerOf(name: KnownName): (known: Known) => unknown {
  switch (name) {
    case 'account':
      return ({ account }) => account;
    case 'instance':
      return ({ instance }) => instance;
    case 'link':
      return ({ link }) => link;
    case 'instanceName':
      return ({ params }) => params.instance;
    default: {
      const parameter = name.slice(1, -1) as keyof Params; // others are read alike
      return ({ params }) => params[parameter];
    }
  }
}
