import type { Route } from '../../shared/core/family.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import type { DocumentFormat } from './built-documents.ts';
import { describeOperations } from './describe.ts';
import { toDocument } from './document.ts';
import { toOpenApi } from './openapi.ts';
import { toOriginal } from './original.ts';

/** An interface document: an array in the form of the original service (docs/reference/README.md#schema-of-v1). */
export type InterfaceDocument = JsonObject | readonly JsonObject[];

/** Makes the interface document of routes (docs/reference/README.md#openapi). */
export function makeDocument(
  routes: readonly Route[],
  version: Version,
  format: DocumentFormat,
): InterfaceDocument {
  const used = routes.filter(({ operations }) => Object.keys(operations).length > 0); // others are 403 for all
  const description = describeOperations(used, version);
  if (format === 'openapi') return toOpenApi(description);
  return version === 'v1' ? toOriginal(description) : toDocument(description);
}
