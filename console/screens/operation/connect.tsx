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
import { type ApiKey, apiKeyType, nameOfKey } from '../keys/key-data.ts';

/** A class with the number of its objects. */
export interface CountedClass {
  readonly name: string;
  readonly objects_count: number;
}

interface ConnectProps {
  readonly instance: string;
  readonly classes: readonly CountedClass[];
}

/** What an app needs for its first request: the address, a key, and code. */
export function Connect({ instance, classes }: ConnectProps) {
  const keys = useList<ApiKey>(apiKeyType.path(instance));
  const [isAdding, setAdding] = useState(false);
  const address = urlOf({ path: at`instances/${instance}/` });
  const create = async (values: { readonly description: string }) => {
    const body = { ...values, allow_anonymous_read: true };
    await send({ method: 'POST', path: apiKeyType.path(instance), body });
    setAdding(false);
    keys.reload();
  };
  const name = (classes.find((each) => each.objects_count > 0) ?? classes[0])?.name;
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
              <p>
                An app sends an API key with each request.{' '}
                <Button
                  class="small"
                  sends={{ method: 'POST', path: apiKeyType.path(instance) }}
                  onAct={() => setAdding(true)}
                  text="New API key"
                />
              </p>
            ) : (
              <FirstRequest instance={instance} keys={all} className={name} />
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

interface FirstRequestProps {
  readonly instance: string;
  readonly keys: readonly ApiKey[];
  /** Undefined: there is no class yet. */
  readonly className: string | undefined;
}

function FirstRequest({ instance, keys, className }: FirstRequestProps) {
  const [chosen, setChosen] = useState((keys.find(isForApps) ?? keys.find(reads) ?? keys[0])?.id);
  const [isShown, setShown] = useState(false);
  const key = keys.find(({ id }) => id === chosen);
  if (key === undefined) return null;
  const samplesOf = (apiKey: string) => firstSamples(instance, className ?? '', apiKey);
  return (
    <div class="stack">
      <SelectField
        label="API key"
        value={String(chosen)}
        onValue={(id) => setChosen(Number(id))}
        options={keys.map((each) => [String(each.id), nameOfKey(each)])}
        hint={!reads(key) && 'Without a user, this key cannot read anything. Choose another key.'}
      />
      {className === undefined ? (
        <p>
          There is nothing to read yet:{' '}
          <a href={href(at`/i/${instance}/structure`)}>create a class</a>.
        </p>
      ) : (
        <CodeSamples
          label="First request"
          samples={samplesOf(key.api_key)}
          shown={samplesOf(isShown ? key.api_key : '•'.repeat(12))}
        >
          <div class="actions">
            <Button
              class="small"
              onAct={() => setShown(!isShown)}
              text={isShown ? 'Hide the key' : 'Show the key'}
            />
          </div>
        </CodeSamples>
      )}
    </div>
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
