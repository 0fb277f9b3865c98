import type { Fields, LinkForm } from '../../shared/resource/field.ts';
import type { Route } from '../../shared/resource/route.ts';
import { nounOf, typeName } from './words.ts';

/** A thing that answers show. */
export interface Model {
  readonly name: string;
  readonly fields: Fields;
  readonly links: readonly LinkForm[] | undefined;
  /** A class adds fields of its own. */
  readonly isOpen: boolean;
}

/** What a success answers with. */
export interface DescribedAnswer {
  readonly status: 200 | 201 | 204;
  /** Absent: no body, or any JSON where the status has one. */
  readonly model?: Model;
}

/** Collects the things of all answers, one for each set of fields, under names of their own. */
export class Models {
  readonly #byFields = new Map<Fields, Model>();
  readonly #names = new Set<string>();

  /** All that were asked for, in that order. */
  get all(): readonly Model[] {
    return [...this.#byFields.values()];
  }

  /** What the route shows of its thing; undefined where that is not known. */
  of(route: Route): Model | undefined {
    const { forms } = route;
    const fields = forms.answer === undefined ? forms.PUT : forms.answer.fields;
    if (fields === undefined) return undefined;
    const known = this.#byFields.get(fields);
    if (known !== undefined) return known;
    const links = forms.answer === undefined ? forms.links : forms.answer.links;
    const name = this.#freeName(typeName(forms.answer?.name ?? nounOf(route)));
    const model = { name, fields, links, isOpen: route.inClass };
    this.#byFields.set(fields, model);
    return model;
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#names.has(name); number++) name = `${wanted}${number}`;
    this.#names.add(name);
    return name;
  }
}
