/** An account, as the interface shows it. */
export interface Account {
  readonly id: number;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly is_active: boolean;
  readonly has_password: boolean;
  /** Only in responses of log-in, registration and reset. */
  readonly account_key: string;
}
