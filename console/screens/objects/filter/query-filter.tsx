import { Button } from '../../../parts/button.tsx';
import { Popover } from '../../../parts/popover.tsx';
import { conditionText, fromQuery, toQuery } from './conditions.ts';
import { FilterForm, type QueryFilterProps } from './filter-form.tsx';

/** A query as chips, one for each condition. It can be used in a form: nothing is sent. */
export function QueryFilter({ ofClass, columns, query, onQuery }: QueryFilterProps) {
  const conditions = fromQuery(query, columns);
  const chips = conditions?.map(conditionText) ?? [query ?? ''];
  const remove = (index: number) => {
    onQuery(conditions && toQuery(conditions.toSpliced(index, 1), columns));
  };
  const form = (index: number) => (close: () => void) => (
    <FilterForm
      {...{ ofClass, columns, query, index }}
      onQuery={(changed) => {
        close();
        onQuery(changed);
      }}
    />
  );
  return (
    <fieldset class="chips" aria-label="Filter">
      {chips.map((text, index) => (
        <span key={index} class="chip">
          <Popover look="link" text={text}>
            {form(index)}
          </Popover>
          <Button
            class="icon"
            icon="close"
            aria-label={`Remove ${text}`}
            onAct={() => remove(index)}
          />
        </span>
      ))}
      {conditions !== undefined && (
        <Popover icon="filter" text="Filter">
          {form(conditions.length)}
        </Popover>
      )}
    </fieldset>
  );
}
