import { at } from '../../../shared/values/text/request-path.ts';
import { serverUrl, urlOf } from '../../core/api.ts';

/** What the code for a first request needs. */
export interface FirstRequest {
  readonly instance: string;
  readonly className: string;
  readonly apiKey: string;
}

/** Returns the address of an instance, with a slash at its end. */
export function baseAddress(instance: string): string {
  return urlOf({ path: at`instances/${instance}/` });
}

const addressOf = ({ instance, className }: FirstRequest) =>
  urlOf({
    path: at`instances/${instance}/classes/${className}/objects/`,
    query: { page_size: 3 },
  });

/** The code of a first request, by the name of its language. */
export const languages = {
  curl: (request) => `curl -s '${addressOf(request)}' -H 'X-API-KEY: ${request.apiKey}'`,
  fetch: (request) => `const response = await fetch('${addressOf(request)}', {
  headers: { 'X-API-KEY': '${request.apiKey}' },
});
console.log(await response.json());`,
  'Typed client': ({ instance, className, apiKey }) =>
    `// after: groundwork types --out client.ts
import { createClient } from './client.ts';

const db = createClient({
  url: '${serverUrl.slice(0, -1)}',
  instance: '${instance}',
  apiKey: '${apiKey}',
});
const { objects } = await db['${className}'].list({ pageSize: 3 });
console.log(objects);`,
  Python: (request) => `import json
from urllib.request import Request, urlopen

request = Request(
    "${addressOf(request)}",
    headers={"X-API-KEY": "${request.apiKey}"},
)
print(json.load(urlopen(request)))`,
} as const satisfies Readonly<Record<string, (request: FirstRequest) => string>>;
