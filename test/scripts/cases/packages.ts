import { type Rule, showing } from './case.ts';

const meta = { api_url: 'https://api.example' };

/** Packages that a JavaScript may require. */
export const packages: readonly Rule[] = [
  {
    name: 'the client of the old service has the address of this API',
    meta,
    node: "META.api_url = 'https://elsewhere'; console.log(require('syncano')({ accountKey: 'k' }).getBaseUrl())",
    stdout: 'https://api.example',
  },
  {
    name: 'it keeps an address that it is given',
    meta,
    node: "console.log(require('syncano')({ baseUrl: 'https://other.example' }).getBaseUrl())",
    stdout: 'https://other.example',
  },
  {
    name: 'it is evaluated once in a run, and again in the next',
    times: 3,
    meta,
    node: "const client = require('syncano'); console.log(client === require('syncano'), client.mark, client({}).defaults.mark); client.mark = 1; client.fixed.refs.defaults.mark = 1",
    stdout: 'true undefined undefined',
  },
  {
    name: 'its code runs among the globals of the script',
    meta,
    node: "const client = require('syncano'); console.log(Object.getPrototypeOf(client) === Function.prototype, client.constructor === Function, client({}).constructor === Object)",
    stdout: 'true true true',
  },
  {
    name: 'globals that the script has replaced are those of the package',
    meta,
    node: "let seen = 0; const { stringify } = JSON; Array.isArray = (isArray => (value) => { seen += 1; return isArray(value) })(Array.isArray); require('syncano')({}); console.log(seen > 0, stringify({}))",
    stdout: 'true {}',
  },
  {
    name: 'functions and members of require are those of Node',
    node: "console.log(typeof require.resolve, require.main === module, require.cache === require('module')._cache, require.resolve('fs'), require.name, require.length, require('fs') === require('node:fs'))",
    stdout: 'function true true fs require 1 true',
  },
  {
    name: 'a file of the script can be required, and has no client',
    node: "require('fs').writeFileSync(require('os').tmpdir() + '/own.js', \"try { require('syncano') } catch (error) { module.exports = error.code }\"); console.log(require('./own.js'))",
    stdout: 'MODULE_NOT_FOUND',
  },
  {
    name: 'no other package exists',
    status: 'failure',
    node: "require('request')",
    stderr: showing("Cannot find module 'request'", 'main.js:1'),
  },
  {
    name: 'no module of the client can be required by itself',
    node: "for (const name of ['syncano/lib/syncano', 'lodash', 'moment', 'bluebird']) { try { require(name); console.log(name) } catch { console.log('-') } }",
    stdout: '-\n-\n-\n-',
  },
  {
    name: 'the client is not available to import()',
    node: "import('syncano').catch(({ code }) => console.log(code))",
    stdout: 'ERR_MODULE_NOT_FOUND',
  },
  {
    name: 'an error of the client shows the line of the script, and none of the package',
    status: 'failure',
    meta,
    node: "const { Class } = require('syncano')({});\nClass.please().list().bogus()",
    stderr: showing('TypeError', 'main.js:2'),
  },
];
