import { ApiProblem } from '../../../core/api.ts';
import type { ObjectColumn } from '../object-data.ts';
import type { Mapping } from './read-file.ts';

/** Chooses a field for each column: of the same name, otherwise (in CSV) of one that differs in case and separators only. */
export function mapColumns(
  names: readonly string[],
  fields: readonly ObjectColumn[],
  isLoose: boolean,
): Mapping {
  const own = new Set(fields.map(({ name }) => name));
  const free = new Set([...own].filter((name) => isLoose && !names.includes(name)));
  const fieldOf = (name: string) => {
    const like = [...free].find((field) => bareName(field) === bareName(name)) ?? '';
    free.delete(like);
    return like;
  };
  return Object.fromEntries(names.map((name) => [name, own.has(name) ? name : fieldOf(name)]));
}

function bareName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** Refuses two columns for one field, of which one would be lost. */
export function checkMapping(mapping: Mapping): void {
  const fields = Object.values(mapping).filter((field) => field !== '');
  const twice = fields.find((field, index) => fields.indexOf(field) < index);
  if (twice !== undefined) throw new ApiProblem(0, `Two columns fill the field ${twice}.`);
}
