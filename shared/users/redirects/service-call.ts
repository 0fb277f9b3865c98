import type { Egress } from '../../ports/egress/egress.ts';
import type { Share } from '../../ports/limits/fair-queue.ts';
import type { Clock } from '../../ports/ports.ts';
import type { UserProviderData } from '../../table/records/user-accounts.ts';

/** What a log-in at a service needs. */
export interface ServiceCall {
  readonly egress: Egress;
  readonly clock: Pick<Clock, 'micros' | 'steadyMs'>;
  readonly share: Share;
  readonly provider: UserProviderData;
  /** Decrypts the secret of the service, if it has one. */
  readonly secret: () => Promise<string | undefined>;
}

/** The parts of a log-in that go to the service. */
export interface ServiceLogIn {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A user as a service proved it. */
export interface ProvenUser {
  readonly issuer: string;
  readonly subject: string;
  /** An address that the service has verified; undefined: none. */
  readonly email: string | undefined;
}

/** Error of a service that has responded wrongly. The code says to an operator what was wrong, without any secret. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Returns the requests of a log-in to its service: no redirect is followed, and a response may have 64 KB. */
export function requestsOf({ egress, share }: Pick<ServiceCall, 'egress' | 'share'>) {
  return (url: string, request: ServiceRequest) =>
    egress(url, { ...request, share, maxBytes, timeoutMs });
}

const maxBytes = 65_536;
const timeoutMs = 5000; // a log-in makes up to four requests, one after the other

type ServiceRequest = Omit<Parameters<Egress>[1], 'share' | 'maxBytes' | 'timeoutMs'>;
