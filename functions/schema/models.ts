import { isInClass } from '../../shared/classes/class-record.ts';
import type { Fields, Route } from '../../shared/core/family.ts';
import { nounOf } from '../../shared/core/resource/presentation/words.ts';
import type { LinkForm } from '../../shared/core/routing/forms.ts';
import { typeNameOf } from './words.ts';

/** An object that responses show. */
export interface Model {
  readonly name: string;
  readonly fields: Fields;
  readonly links: readonly LinkForm[] | undefined;
  /** A class adds its own fields. */
  readonly isOpen: boolean;
}

/** The response of a success. */
export interface DescribedResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 303;
  /** Absent: no body, or any JSON where the status has one. */
  readonly model?: Model;
}

/** Collects the models of all responses, one for each set of fields and links, with unique names. */
export class Models {
  readonly #all: Model[] = [];
  readonly #names = new Set<string>();

  /** All models that `of` returned, in the order of their first use. */
  get all(): readonly Model[] {
    return this.#all;
  }

  /** Returns the model that a route shows; undefined if it declares none. */
  of(route: Route): Model | undefined {
    const { forms } = route;
    const fields = forms.response === undefined ? forms.PUT : forms.response.fields;
    if (fields === undefined) return undefined;
    const links = forms.response === undefined ? forms.links : forms.response.links;
    const known = this.#all.find(
      (model) => model.fields === fields && namesOf(model.links) === namesOf(links),
    );
    if (known !== undefined) return known;
    const name = this.#freeName(typeNameOf(forms.response?.name ?? nounOf(route)));
    const model = { name, fields, links, isOpen: isInClass(route) };
    this.#all.push(model);
    return model;
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#names.has(name); number++) name = `${wanted}${number}`;
    this.#names.add(name);
    return name;
  }
}

function namesOf(links: readonly LinkForm[] | undefined): string | undefined {
  return links?.map(({ name }) => name).join(' ');
}
