/** The owner of a task: slots and queues are shared between owners, and between the instances of one. */
export interface Tenant {
  /** Id of the instance. */
  readonly instance: number;
  /** Id of the account that owns it. */
  readonly owner: number;
}
