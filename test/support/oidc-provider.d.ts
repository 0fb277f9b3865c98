/** The server of OpenID Connect of the tests; it has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** A server. */
  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
  }
}
