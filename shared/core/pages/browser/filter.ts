import { writeExactJson } from '../../../values/json/exact-number.ts';
import { parseControlJson } from './controls.ts';

/** Starts the filter forms: the last condition, once it is chosen, gets an empty one below it. */
export function startFilters(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || target.value === '') return;
    const row = target.closest('.condition');
    if (row === null || row.nextElementSibling !== null) return;
    const next = row.cloneNode(true);
    row.after(next);
    const number = row.parentElement?.children.length ?? 0;
    for (const control of controlsOf(row.nextElementSibling)) {
      control.ariaLabel = control.ariaLabel?.replace(/\d+$/, String(number)) ?? null;
      control.value = '';
    }
  });
}

function controlsOf(row: Element | null): readonly (HTMLInputElement | HTMLSelectElement)[] {
  return [...(row?.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select') ?? [])];
}

/** Returns the address that a filter form leads to: its query is made of its conditions. */
export function filterAddress(form: HTMLFormElement): string {
  const query = new Map<string, Record<string, unknown>>();
  for (const row of form.querySelectorAll('.condition')) {
    const option = row.querySelector<HTMLOptionElement>('option:checked');
    const { field, lookup, kind } = option?.dataset ?? {};
    if (field === undefined || lookup === undefined) continue;
    const text = row.querySelector('input')?.value ?? '';
    query.set(field, { ...query.get(field), [lookup]: readValue(text, kind) });
  }
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (value !== '') address.searchParams.append(name, String(value));
  }
  if (query.size > 0) {
    address.searchParams.append('query', writeExactJson(Object.fromEntries(query)));
  }
  return address.href;
}

/** Reads a value; of one that is no JSON the response shows the error. */
function readValue(text: string, kind: string | undefined): unknown {
  if (kind === 'text') return text;
  if (kind === 'json') return parse(text);
  if (text.trimStart().startsWith('[')) return parse(text);
  const parts = text.split(',').map((part) => part.trim());
  return kind === 'texts' ? parts : parts.map(parse);
}

function parse(text: string): unknown {
  try {
    return parseControlJson(text.trim());
  } catch {
    return text;
  }
}
