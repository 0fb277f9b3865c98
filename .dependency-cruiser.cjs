/** The folder rules: who may import whom. The reasons are in CONTRIBUTING.md. */

/** Modules in `folder` import what is listed, and nothing else, not even types. */
const only = (name, folder, ...allowed) => ({
  name,
  severity: 'error',
  from: { path: folder },
  to: { pathNot: [folder, ...allowed] },
});

/** Nobody but modules in `users` imports `what`. */
const onlyFor = (name, what, ...users) => ({
  name,
  severity: 'error',
  from: { pathNot: users },
  to: { path: what },
});

const valibot = '^node_modules/valibot/';
const geohash = '^node_modules/(@types/)?ngeohash/';
const nunjucks = '^node_modules/(@types/)?nunjucks/';
const forge = '^node_modules/(@types/)?node-forge/';
const gatewayTypes = '^node_modules/@types/aws-lambda/';
const tests = '^(test|bench)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.m?ts$', '^test/support/slow-time\\.ts$'] }, // a configuration names it
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared-packages',
      severity: 'error',
      from: { pathNot: [tests, '^lib/', '^bin/app\\.ts$'] }, // the CDK is a tool of development
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },

    only(
      'domain-is-pure',
      '^shared/domain/',
      valibot,
      geohash,
      forge,
      nunjucks,
      '^(node:)?crypto$',
    ),
    only('store-knows-domain', '^shared/store/', '^shared/domain/'),
    only(
      'services-know-ports',
      '^shared/services/',
      '^shared/(domain|store)/',
      '^shared/resource/route\\.ts$', // types alone: see the next rule
      valibot,
      '^(node:)?(crypto|timers/promises)$',
    ),
    {
      name: 'services-know-types-of-calls',
      severity: 'error',
      from: { path: '^shared/services/' },
      to: { path: '^shared/resource/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'runtimes-know-domain', // they lie in each script's own function
      '^shared/runtimes/',
      '^shared/domain/',
      valibot,
      '^node_modules/fflate/',
      '^(node:)?[a-z_/0-9]+$',
    ),
    {
      name: 'runtime-files-stand-alone', // they are copied to where nothing else is
      severity: 'error',
      from: { path: '^shared/runtimes/.*\\.cjs$' },
      to: { pathNot: ['^(node:)?[a-z_/0-9]+$', '^shared/runtimes/[^/]+/[^/]+\\.cjs$'] },
    },
    only(
      'resource-knows-no-platform',
      '^shared/resource/',
      '^shared/(domain|store|services|http)/',
      valibot,
    ),
    only(
      'http-knows-no-platform',
      '^shared/http/',
      '^shared/(domain|store|services|resource)/',
      valibot,
      gatewayTypes,
      '^node_modules/(@middy/core|@fastify/busboy)/',
      '^node_modules/esbuild/', // for one module: see bundling-has-few-places
      '^(node:)?(buffer|crypto|url|util|zlib)$',
    ),
    only(
      'browser-code-knows-browsers',
      '^shared/http/page/browser/',
      '^shared/http/page/status-text\\.ts$', // the same words on both sides
    ),
    onlyFor(
      'browser-code-is-bundled',
      '^shared/http/page/browser/',
      '^shared/http/page/browser/', // bundle-assets.mjs reads the files
    ),
    only(
      'families-know-shared',
      '^functions/[^/]+/',
      '^functions/api\\.ts$', // for handlers alone: see the-map-has-few-readers
      '^shared/(domain|store|services|resource|http)/',
      '^shared/aws/', // the same
      valibot,
      '^(node:)?(buffer|crypto|timers/promises|util|zlib)$',
    ),
    {
      name: 'families-are-strangers',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: '^functions/([^/]+)/', pathNot: '^functions/$1/' },
    },
    {
      name: 'only-handlers-know-aws',
      severity: 'error',
      from: { path: '^functions/', pathNot: '^functions/[^/]+/handler\\.ts$' },
      to: { path: '^shared/aws/' },
    },
    onlyFor(
      'the-map-has-few-readers',
      '^functions/api\\.ts$',
      '^(bin|lib)/',
      tests,
      '^functions/[^/]+/handler\\.ts$',
    ),
    {
      name: 'platforms-are-strangers',
      severity: 'error',
      from: { path: '^shared/(aws|local)/' },
      to: { path: '^shared/(aws|local)/', pathNot: '^shared/$1/' },
    },
    {
      name: 'platforms-know-the-core-only',
      severity: 'error',
      from: { path: '^shared/(aws|local)/' },
      to: { path: '^(functions|bin|lib)/' },
    },

    onlyFor('lmdb-is-local', '^node_modules/lmdb/', '^shared/local/', tests),
    onlyFor(
      'the-machine-is-local',
      '^(node:)?(child_process|cluster|dgram|fs|fs/promises|http|http2|net|os|tls|worker_threads)$',
      '^shared/local/',
      '^shared/aws/shutdown\\.ts$', // a wait that may stand still for longer than fetch allows
      '^shared/runtimes/', // starts what runs scripts, on both platforms
      '^lib/script-runtime\\.ts$', // reads the files that go into functions
      '^bin/start\\.mjs$', // bundles the server before it runs
      tests,
    ),
    onlyFor(
      'bundling-has-few-places',
      '^node_modules/esbuild/',
      '^bin/start\\.mjs$',
      '^lib/',
      '^shared/http/page/bundle-assets\\.mjs$', // absent from bundles: they carry its result
      '^shared/local/child-program\\.ts$',
      tests,
    ),
    // by this name process.env would get past the linter, which allows it in environment.ts alone
    onlyFor('process-is-global', '^(node:)?process$', tests),
    onlyFor('aws-clients-are-aws', '^node_modules/(@aws-sdk|@smithy)/', '^shared/aws/', tests),
    onlyFor('cdk-is-lib', '^node_modules/(aws-cdk-lib|constructs|cdk-nag)/', '^(bin|lib)/', tests),
    onlyFor('nothing-imports-tests', '^(test|bench)/', tests),
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
