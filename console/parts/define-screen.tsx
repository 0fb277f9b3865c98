import type { ScreenProps } from '../core/router.ts';
import { defineItem, type ItemDefinition } from './item-screen.tsx';
import { defineList, type ListDefinition } from './list-screen.tsx';

/** Declares the list of a kind of records, the form for one, and the screen of one. */
type ScreenDefinition<Item> = ListDefinition<Item> & ItemDefinition<Item>;

/** Makes the screen of a list and of its records: without an id or name in the place it is the list. */
export function defineScreen<Item extends object>(definition: ScreenDefinition<Item>) {
  const List = defineList(definition);
  const One = defineItem(definition);
  return function Screen(props: ScreenProps) {
    const { id, name } = props.names;
    return id === undefined && name === undefined ? <List {...props} /> : <One {...props} />;
  };
}
