import type { RecordClaims } from '../../values/keys/credentials.ts';

/** Path parameters in their stored form; one that cannot name anything is absent. */
export interface Params {
  readonly instance?: string;
  readonly class?: string;
  readonly endpoint?: string;
  /** Text of a public link, not checked to be genuine. */
  readonly link?: string;
  readonly template?: string;
  readonly channel?: string;
  readonly id?: number;
  /** Token of a device. */
  readonly device?: string;
  /** Name of another service whose log-ins are accepted. */
  readonly backend?: string;
  /** Second id of a membership: the item that belongs to `id`. */
  readonly member?: number;
}

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

/** Values of which keys of records are made, by name: those of the path, and ids that were found for it. */
export interface KnownValues extends Required<Omit<Params, 'instance' | 'link'>> {
  readonly account: number;
  readonly instance: number;
  /** Name of the instance in the path. */
  readonly instanceName: string;
  readonly link: RecordClaims;
}

/** Returns a value of a request by its name; undefined while it is not known, and where it does not exist. */
export function knownValue(known: Known, name: keyof KnownValues): unknown {
  switch (name) {
    case 'account':
      return known.account;
    case 'instance':
      return known.instance;
    case 'link':
      return known.link;
    case 'instanceName':
      return known.params.instance;
    default:
      return known.params[name];
  }
}
