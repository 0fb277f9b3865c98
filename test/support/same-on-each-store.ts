/**
 * Files of the API suite that the suites on other stores leave out, because another store could not change a result:
 * they ask about paths, texts, headers, bodies and rights, which are settled before an operation or after it, or start
 * platforms and servers of their own.
 */
export const sameOnEachStore = [
  // every path with every caller, and invalid values in every field
  'test/api/{hostile,isolation,laws,rights}.test.ts',
  'test/api/{costly-bodies,error-codes,ignored-names,order-of-checks,projection}.test.ts',
  'test/api/{operation-names,options,root,schema,schema-laws}.test.ts',
  // pages, templates, headers, and what scripts receive and return
  'test/api/{pages,rendering,response-headers,script-endpoint-runs}.test.ts',
  // platforms or servers of their own
  'test/api/{adapters,durability,push-send,script-crash}.test.ts',
];
