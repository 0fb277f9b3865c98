import { systemColumns } from '../objects/object-data.ts';

/** A data endpoint, as the interface shows it. */
export interface DataEndpoint {
  readonly name: string;
  readonly description: string;
  readonly class: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** Names with commas between them. */
  readonly excluded_fields: string | null;
  readonly expand: string | null;
  readonly order_by: string | null;
  readonly page_size: number | null;
}

/** Returns the names in a list with commas. */
export function splitNames(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Returns names as the interface takes them. */
export function joinNames(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(',');
}

/** Fields that every object has, and its links. */
export const systemFields: readonly string[] = [...systemColumns.map(({ name }) => name), 'links'];
