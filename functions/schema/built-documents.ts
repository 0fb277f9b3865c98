import { type Version, versions } from '../../shared/core/routing/versions.ts';

const formats = ['json', 'openapi'] as const;

/** A format of the interface document. */
export type DocumentFormat = (typeof formats)[number];

/** Defined at bundling time for the function that serves the documents: lib/handler-bundle.ts. */
declare const SCHEMA_DOCUMENTS: string;

/** The interface documents as JSON, one per line; empty where they were not built with a bundle. */
const lines = typeof SCHEMA_DOCUMENTS === 'string' ? SCHEMA_DOCUMENTS.split('\n') : [];

/** All documents, in the order of the lines. */
const documents = versions.flatMap((version) => formats.map((format) => ({ version, format })));

/** Returns the JSON of a document that was built with a bundle; undefined: it was not. */
export function builtDocument(version: Version, format: DocumentFormat): string | undefined {
  return lines[documents.findIndex((one) => one.version === version && one.format === format)];
}

/** Builds all documents for a bundle. */
export function buildDocuments(
  build: (version: Version, format: DocumentFormat) => object,
): string {
  return documents.map(({ version, format }) => JSON.stringify(build(version, format))).join('\n');
}
