/** Import rules of the folders. CONTRIBUTING.md has the reasons. */

/** Returns a rule: modules in `folder` import only the listed paths; this includes types. */
const only = (name, folder, ...allowed) => ({
  name,
  severity: 'error',
  from: { path: folder },
  to: { pathNot: [folder, ...allowed] },
});

/** Returns a rule: only modules in `users` import `what`. */
const onlyFor = (name, what, ...users) => ({
  name,
  severity: 'error',
  from: { pathNot: users },
  to: { path: what },
});

const valibot = '^node_modules/valibot/';
const geohash = '^node_modules/(@types/)?ngeohash/';
const forge = '^node_modules/(@types/)?node-forge/';
const bcrypt = '^node_modules/bcryptjs/';
const papaparse = '^node_modules/papaparse/';
const zxcvbn = '^node_modules/@zxcvbn-ts/';
const croner = '^node_modules/croner/';
const openid = '^node_modules/(openid-client|oauth4webapi|jose)/';
const crypto = '^(node:)?crypto$';
const timers = '^(node:)?timers/promises$';
const compression = '^(node:)?(zlib|util)$';
const nodePure = '^(node:)?(crypto|url|util)$';
const egress = ['^node_modules/ipaddr\\.js/', '^(node:)?(dns/promises|https?|net)$']; // see the-machine-is-local
const tests = '^(test|bench)/';

/** Rules as pure functions, which import values and each other. */
const pure = '^shared/(values|[a-z]+/rules|search/query|templates/jinja)/';

/**
 * THE FLOORS below the rooms, from the ground up, each with the packages that it may import. An import goes down only,
 * which excludes circles between folders. The rules of rooms, which are pure, lie between the values and the store.
 */
const floors = [
  ['values', valibot, papaparse, zxcvbn, nodePure],
  ['store'],
  ['table'],
  ['ports', valibot, crypto, timers, ...egress],
  ['jobs', timers],
  ['core/http', '^node_modules/@fastify/busboy/', '^(node:)?(buffer|crypto|url|util|zlib)$'],
  ['core/routing'],
  ['core/resource', valibot],
  ['core/pages', '^node_modules/esbuild/', '^(node:)?(crypto|url)$'], // see bundling-has-few-places
  ['core/pipeline', crypto],
];

/** Returns the paths of the floors below one. */
const below = (at) => [
  ...(at > 0 ? [pure] : []),
  ...floors.slice(0, at).map(([floor]) => `^shared/${floor}/`),
];

/**
 * THE ROOMS of the features, each with the rooms that it may import. A room names only rooms above it, which excludes
 * cycles between rooms.
 */
const rooms = [
  ['usage'],
  ['accounts'],
  ['console'],
  ['instances'],
  ['templates'],
  ['classes'],
  ['channels', 'classes'],
  ['search', 'classes'],
  ['scripts', 'accounts', 'instances'],
  ['triggers', 'scripts', 'instances'],
  ['objects', 'instances', 'usage', 'classes', 'channels', 'search', 'triggers'],
  ['push'],
  ['users', 'accounts', 'classes', 'objects', 'push'],
  ['schedules', 'scripts'],
  ['backups', 'accounts', 'classes', 'instances', 'objects', 'push', 'schedules', 'users'],
];

/** Types of the records that responses show. */
const shownTypes = [
  '^(functions/.*|shared/users/)fields\\.ts$',
  '^shared/[a-z]+/rules/',
  '^shared/(core/resource/shown|channels/show-message|scripts/trace-list)\\.ts$',
];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '\\.d\\.m?ts$',
          '^test/aws-emulator/slow-time\\.ts$', // used by configurations
          '^shared/clients/typed/values\\.ts$', // copied by a command
        ],
      },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared-packages',
      severity: 'error',
      // the CDK and the clients of AWS are for deployments, which bundle what they need
      from: { pathNot: [tests, '^lib/', '^bin/app\\.ts$', '^shared/platforms/aws/'] },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },

    ...floors.map(([floor, ...packages], at) =>
      only(`floor-${floor}`, `^shared/${floor}/`, ...below(at), ...packages),
    ),
    onlyFor('papaparse-is-csv', papaparse, '^shared/values/csv/'),
    onlyFor('passwords-are-listed-once', zxcvbn, '^shared/values/passwords/common-passwords'),
    only(
      'rules-are-pure',
      pure,
      valibot,
      geohash,
      forge,
      bcrypt,
      croner,
      papaparse,
      zxcvbn,
      nodePure,
    ),
    only('family-names-the-core', '^shared/core/family\\.ts$', ...below(floors.length)),
    onlyFor('families-have-one-import', '^shared/core/family\\.ts$', '^functions/', tests),
    ...rooms.map(([room, ...others]) =>
      only(
        `room-of-${room}`,
        `^shared/${room}/(?!rules/|query/|jinja/)`,
        ...below(floors.length),
        `^shared/(${[room, ...others].join('|')})/`,
        valibot,
        crypto,
        timers,
        compression,
        openid,
      ),
    ),
    onlyFor(
      'openid-is-log-in',
      openid,
      '^shared/(accounts|users)/',
      '^functions/user-redirects/',
      tests,
    ),
    only('clients-know-values', '^shared/clients/', '^shared/values/'),
    only(
      'runtimes-know-rules', // runtimes are copied to each script's function
      '^shared/runtimes/',
      pure,
      valibot,
      '^node_modules/fflate/',
      '^node_modules/sharp/', // its types: pictures/program.ts gets the path of the package
      '^(node:)?[a-z_/0-9]+$',
    ),
    {
      name: 'runtime-files-stand-alone', // the files are copied to folders without other modules
      severity: 'error',
      from: { path: '^shared/runtimes/.*\\.cjs$' },
      to: { pathNot: ['^(node:)?[a-z_/0-9]+$', '^shared/runtimes/[^/]+/[^/]+\\.cjs$'] },
    },
    only(
      'browser-code-knows-browsers',
      '^shared/core/pages/browser/',
      '^shared/core/pages/status-text\\.ts$', // the same texts on both sides
      '^shared/values/json/(exact-number|finite-json)\\.ts$', // the same numbers
    ),
    onlyFor(
      'browser-code-is-bundled',
      '^shared/core/pages/browser/',
      '^shared/core/pages/browser/', // bundle-assets.mjs reads the files
    ),
    only(
      'console-knows-the-interface-only',
      '^console/',
      '^shared/values/',
      ...shownTypes, // for types only, see console-runs-alone
      '^node_modules/(preact|@preact|codemirror|@codemirror|@lezer|uplot|lucide)/',
      '^shared/console/packed-file\\.ts$', // for bundle.d.mts
      '^shared/console/pack-file\\.mjs$', // for bundle.mjs
      '^node_modules/esbuild/', // likewise: see bundling-has-few-places
      '^(node:)?(fs|path|url)$', // likewise
    ),
    {
      name: 'console-runs-alone', // the types of records are those of the interface
      severity: 'error',
      from: { path: '^console/' },
      to: {
        path: shownTypes,
        // names of types, and pure rules for values and rights
        pathNot: '^shared/classes/rules/(field-types|field-readers|permissions)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    onlyFor(
      'console-is-bundled',
      '^console/',
      '^console/',
      '^bin/bundle\\.mjs$',
      '^lib/handler-bundle\\.ts$',
      tests,
    ),
    only(
      'families-know-shared',
      '^functions/[^/]+/',
      '^shared/(?!(platforms|runtimes|clients)/)',
      '^shared/platforms/aws/', // for handlers only, see only-handlers-know-aws
      '^functions/migrations\\.ts$', // for the background, which runs them
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
      to: { path: '^shared/platforms/aws/' },
    },
    onlyFor(
      'the-map-has-few-readers',
      '^functions/(api|jobs)\\.ts$',
      '^functions/jobs\\.ts$',
      '^(bin|lib)/',
      tests,
    ),
    {
      name: 'platforms-are-strangers',
      severity: 'error',
      from: { path: '^shared/platforms/(aws|local)/' },
      to: { path: '^shared/platforms/(aws|local)/', pathNot: '^shared/platforms/$1/' },
    },
    {
      name: 'shared-is-below-programs',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|bin|lib|console)/' },
    },

    onlyFor('lmdb-is-local', '^node_modules/lmdb/', '^shared/platforms/local/', tests),
    onlyFor(
      'prom-client-is-metrics',
      '^node_modules/prom-client/',
      '^shared/platforms/local/metrics/',
    ),
    onlyFor(
      'the-machine-is-local',
      '^(node:)?(child_process|cluster|dgram|fs|fs/promises|http|http2|net|os|tls|worker_threads)$',
      '^shared/platforms/local/',
      '^shared/ports/egress/', // connects to addresses that it has checked, on both platforms
      '^shared/platforms/aws/lifetime/extension\\.ts$', // a request that may be idle for longer than fetch allows
      '^shared/platforms/aws/requests/front-door\\.ts$', // checks the form of addresses
      '^shared/runtimes/', // start the processes of scripts, on both platforms
      '^lib/(script-runtime|handler-bundle)\\.ts$', // read the files that are packed into functions
      '^(bin/(start|bundle)|console/bundle)\\.mjs$', // bundle the programs before they start
      '^bin/(preflight|smoke|operator/secret-copy)\\.ts$', // read files of the operator
      '^bin/operator/deploy\\.ts$', // starts the CDK
      '^bin/groundwork(/|\\.ts$)', // the command line
      tests,
    ),
    onlyFor(
      'bundling-has-few-places',
      '^node_modules/esbuild/',
      '^bin/bundle\\.mjs$',
      '^bin/groundwork/', // bundles scripts
      '^lib/',
      '^shared/platforms/local/scripts/commands/bundle-client\\.(d\\.mts|mjs)$', // for a start after an installation
      '^(shared/core/pages/bundle-assets|console/bundle)\\.mjs$', // not in bundles, which contain their results
      '^shared/platforms/local/scripts/commands/bundle-child\\.mjs$',
      tests,
    ),
    // an import would bypass the linter, which allows process.env in setting-variables.ts only
    onlyFor('process-is-global', '^(node:)?process$', tests),
    onlyFor(
      'aws-clients-are-aws',
      '^node_modules/(@aws-sdk|@smithy|@middy|@types/aws-lambda)/',
      '^shared/platforms/aws/',
      '^lib/preflight/', // checks the account before a deployment
      tests,
    ),
    onlyFor('cdk-is-lib', '^node_modules/(aws-cdk-lib|constructs|cdk-nag)/', '^(bin|lib)/', tests),
    onlyFor('nothing-imports-tests', '^(test|bench)/', tests),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^bin/groundwork/example/' }, // belongs to a project: the client that it imports is generated
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
