import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { send, serverUrl, urlOf } from '../../core/api.ts';
import { useList } from '../../core/load.ts';
import { href } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CodeSamples, requestSamples, typedSample } from '../../parts/code-samples.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FormDialog } from '../../parts/draft-form.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import type { ClassRecord } from '../data/class-data.ts';
import { type ApiKey, apiKeyType, nameOfKey } from '../keys/key-data.ts';

/** A class with the number of its objects. */
export interface CountedClass {
  readonly name: string;
  readonly objects_count: number;
  readonly other_permissions: ClassRecord['other_permissions'];
}

interface ConnectProps {
  readonly instance: string;
  readonly classes: readonly CountedClass[];
}

/** What an app needs for its first request: the address, a key, and code. */
export function Connect({ instance, classes }: ConnectProps) {
  const keys = useList<ApiKey>(apiKeyType.path(instance));
  const [chosen, setChosen] = useState<number>();
  const [isAdding, setAdding] = useState(false);
  const address = urlOf({ path: at`instances/${instance}/` });
  const creates = { method: 'POST', path: apiKeyType.path(instance) } as const;
  const add = (
    <Button class="small" sends={creates} onAct={() => setAdding(true)} text="New API key" />
  );
  const create = async (values: { readonly description: string }) => {
    const body = { ...values, allow_anonymous_read: true };
    setChosen((await send<ApiKey>({ ...creates, body })).id);
    setAdding(false);
    keys.reload();
  };
  return (
    <Card title="Connect" id="connect">
      <div class="stack">
        <p class="actions address">
          <code>{address}</code>
          <CopyButton text={() => address} label="Copy" about="the address" />
        </p>
        <LoadedData of={keys}>
          {(all) =>
            all.length === 0 ? (
              <p class="actions">An app sends an API key with each request. {add}</p>
            ) : (
              <FirstRequest {...{ instance, classes, chosen, add }} keys={all} onKey={setChosen} />
            )
          }
        </LoadedData>
        {isAdding && (
          <FormDialog
            title="New API key"
            start={{ description: 'My app' }}
            verb="Create API key"
            onSend={create}
            onClose={() => setAdding(false)}
          >
            {({ text }) => (
              <TextField
                label="Name"
                hint="The key can read public objects. You can change its permissions under API keys."
                input={{ maxLength: 256, autocomplete: 'off', required: true }}
                {...text('description')}
              />
            )}
          </FormDialog>
        )}
      </div>
    </Card>
  );
}

interface FirstRequestProps extends ConnectProps {
  readonly keys: readonly ApiKey[];
  /** Id of a key; undefined: that which fits best. */
  readonly chosen: number | undefined;
  readonly onKey: (id: number) => void;
  /** The button for a key that can read. */
  readonly add: ComponentChildren;
}

function FirstRequest({ instance, classes, keys, chosen, onKey, add }: FirstRequestProps) {
  const best = keys.find(isForApps) ?? keys.find(reads) ?? keys[0];
  const key = keys.find(({ id }) => id === chosen) ?? best;
  if (key === undefined) return null;
  const open = classes.filter((each) => key.ignore_acl || each.other_permissions !== 'none');
  const read = open.find((each) => each.objects_count > 0) ?? open[0];
  return (
    <div class="stack">
      <SelectField
        label="API key"
        value={String(key.id)}
        onValue={(id) => onKey(Number(id))}
        options={keys.map((each) => [String(each.id), nameOfKey(each)])}
      />
      {classes[0] === undefined ? (
        <p>
          There is nothing to read yet:{' '}
          <a href={href(at`/i/${instance}/structure`)}>create a class</a>.
        </p>
      ) : !reads(key) ? (
        <p class="actions">
          This key reads only for signed-in users of your app. A first request needs another key.{' '}
          {add}
        </p>
      ) : read === undefined ? (
        <p>
          This key can read no class yet:{' '}
          <a href={href(at`/i/${instance}/rights/${classes[0].name}`)}>
            let everyone read {classes[0].name}
          </a>
          .
        </p>
      ) : (
        <>
          <Sample instance={instance} className={read.name} apiKey={key.api_key} />
          {!key.ignore_acl && (
            <p class="hint">
              The response has the objects of {read.name} that everyone may read; an empty list says
              that there are none.
            </p>
          )}
        </>
      )}
    </div>
  );
}

interface SampleProps {
  readonly instance: string;
  readonly className: string;
  readonly apiKey: string;
}

function Sample({ instance, className, apiKey }: SampleProps) {
  const [isShown, setShown] = useState(false);
  return (
    <CodeSamples
      label="First request"
      samples={firstSamples(instance, className, apiKey)}
      shown={firstSamples(instance, className, isShown ? apiKey : '•'.repeat(12))}
    >
      <Button
        class="small"
        onAct={() => setShown(!isShown)}
        text={isShown ? 'Hide the key' : 'Show the key'}
      />
    </CodeSamples>
  );
}

/** Returns a request that reads the first objects of a class. */
function firstSamples(instance: string, className: string, apiKey: string) {
  const options = { url: serverUrl.slice(0, -1), instance, apiKey };
  const typed = typedSample(
    `const { objects } = await db[${writeExactJson(className)}].list({ pageSize: 3 });
console.log(objects);`,
    writeExactJson(options, 2),
  );
  const path = at`instances/${instance}/classes/${className}/objects/`;
  return requestSamples({ method: 'GET', path, query: { page_size: 3 } }, typed, apiKey);
}

/** Checks whether a key reads objects that are open to others, and no more. */
function isForApps({ allow_anonymous_read: isReader, ignore_acl: isAll }: ApiKey): boolean {
  return isReader && !isAll;
}

/** Checks whether a key reads objects without a user. */
function reads({ allow_anonymous_read: isReader, ignore_acl: isAll }: ApiKey): boolean {
  return isReader || isAll;
}
