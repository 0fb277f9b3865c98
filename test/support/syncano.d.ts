/** The client library that the service's vendor published for JavaScript; it has no types of its own. */
declare module 'syncano' {
  /** Opens a connection: account calls, the monitor, and one model for each resource. */
  function connect(options: Readonly<Record<string, unknown>>): connect.Connection;

  namespace connect {
    // biome-ignore lint/suspicious/noExplicitAny: models grow members with every schema and resource
    type Connection = any;
  }

  export = connect;
}
