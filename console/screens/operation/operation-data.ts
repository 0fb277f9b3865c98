/** An instance, as the interface shows it. */
export interface InstanceRecord {
  readonly name: string;
  readonly description: string;
  readonly role: string;
  readonly owner: { readonly email: string };
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly location: string;
  readonly created_at: string;
}

/** A row of usage. */
export interface UsageRow {
  readonly hour?: string;
  readonly date?: string;
  readonly source: string;
  readonly value: number;
}

/** A run of a script. */
export interface Trace {
  readonly id: number;
  readonly status: string;
  readonly executed_at: string | null;
  readonly duration: number | null;
}

/** A dead letter. */
export interface DeadLetter {
  readonly id: number;
  readonly consumer: string;
  readonly status: 'failed' | 'replaying';
  readonly error: string;
  readonly item: string;
  readonly action: string;
  readonly class: string | null;
  readonly item_id: number | null;
  readonly created_at: string;
}
