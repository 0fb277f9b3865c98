/** The reason why the server cannot start: one sentence for the operator, who can fix it. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
