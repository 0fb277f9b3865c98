/** The folder rules: who may import whom. The reasons are in CONTRIBUTING.md. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot: [...allowed, '^node:', '^[a-z_]+$'], dependencyTypesNot: ['type-only'] },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$'] },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^(test|bench)/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'families-are-strangers',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: '^functions/([^/]+)/', pathNot: '^functions/$1/' },
    },
    {
      name: 'the-map-has-few-readers',
      severity: 'error',
      from: { pathNot: ['^(bin|lib|test|bench)/', '^functions/[^/]+/handler\\.ts$'] },
      to: { path: '^functions/api\\.ts$' },
    },
    only(
      'domain-is-pure',
      '^shared/domain/',
      ['^shared/domain/', 'node_modules/valibot/'],
      'rules know no platform',
    ),
    only(
      'store-knows-domain',
      '^shared/store/',
      ['^shared/(store|domain)/'],
      'the port and the table',
    ),
    only(
      'services-know-ports',
      '^shared/services/',
      ['^shared/(services|store|domain)/', 'node_modules/valibot/'],
      'no platform in a service',
    ),
    only(
      'core-knows-no-platform',
      '^shared/(http|resource)/',
      [
        '^shared/(http|resource|services|store|domain)/',
        'node_modules/(valibot|@middy|@fastify/busboy)/',
      ],
      'the same core runs on both platforms',
    ),
    {
      name: 'core-runs-no-processes',
      severity: 'error',
      from: { path: ['^shared/(domain|store|services|resource|http)/', '^functions/'] },
      to: { path: '^(node:)?(child_process|cluster|worker_threads|fs|net)$' },
    },
    {
      name: 'lmdb-is-local',
      severity: 'error',
      from: { pathNot: '^(shared/local|test|bench)/' },
      to: { path: 'node_modules/lmdb/' },
    },
    {
      name: 'aws-clients-are-aws',
      severity: 'error',
      from: { pathNot: '^(shared/aws|test)/' },
      to: { path: 'node_modules/@aws-sdk/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
