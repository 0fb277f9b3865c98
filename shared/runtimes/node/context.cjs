'use strict';
/* The globals of one run: a separate context that looks like the main one to a script. */
const { isUtf8 } = require('node:buffer');
const { Console } = require('node:console');
const { createRequire } = require('node:module');
const { Writable } = require('node:stream');
const { isAnyArrayBuffer } = require('node:util').types;
const vm = require('node:vm');
const { clientName } = require('./packages.cjs');
const { writeAll } = require('./write-all.cjs');

/** File name of each script, as shown in tracebacks. */
exports.fileName = 'main.js';

const bare = vm.createContext(vm.constants?.DONT_CONTEXTIFY ?? {});
const bareGlobals = new vm.Script('globalThis').runInContext(bare);
const isBuiltin = (name) => Object.hasOwn(bareGlobals, name) && name !== 'console';

/** Node's additions to the language, each as a property that a script may replace for itself. */
const additions = Object.getOwnPropertyNames(globalThis)
  .filter((name) => !isBuiltin(name) && !['global', 'console'].includes(name))
  .map((name) => [name, describe(Object.getOwnPropertyDescriptor(globalThis, name), name)]);

/** The language's own classes: objects of core modules are instances of these, not of the context's. */
const classes = Object.getOwnPropertyNames(globalThis)
  .filter((name) => isBuiltin(name) && typeof globalThis[name] === 'function')
  .filter((name) => globalThis[name].prototype !== undefined)
  .map((name) => [name, globalThis[name]]);

function describe({ enumerable, get, value }, name) {
  if (get === undefined) return { value, writable: true, enumerable, configurable: true };
  return describeGetter(name, () => globalThis[name], enumerable); // some of Node's getters require the main context
}

/** Returns a property that is evaluated at each use, and may be replaced. */
function describeGetter(name, get, enumerable) {
  return {
    get,
    set(replacement) {
      const own = { value: replacement, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(this, name, own);
    },
    enumerable,
    configurable: true,
  };
}

/** Creates a value at its first use: streams and console take a tenth of a short run, and many scripts need neither. */
function once(create) {
  let value;
  return () => (value ??= create());
}

const maxBytes = 524_288; // of a response; what is longer is cut here, and judged as too long
const { from } = Buffer;

/**
 * Describes bytes as the content of a report: as text where they are UTF-8, which traces can show, else in base64.
 *
 * @returns undefined for a value that is no bytes: a buffer, or a view of one
 */
function describeBytes(value) {
  const isView = ArrayBuffer.isView(value);
  if (!isView && !isAnyArrayBuffer(value)) return undefined;
  const whole = isView ? from(value.buffer, value.byteOffset, value.byteLength) : from(value);
  const bytes = from(whole.subarray(0, maxBytes + 1)); // a copy: a thread may share the memory
  if (isUtf8(bytes)) return { content: bytes.toString() };
  return { content: bytes.toString('base64'), encoding: 'base64' };
}

/*
 * These three functions run inside the context, whose builtins are still unmodified. They must not refer to anything
 * outside except their arguments.
 */

/** Makes the context look like the main one: `instanceof` accepts objects of core modules as its own. */
function installGlobals({ additions, classes, typedArray, values }) {
  const { defineProperty } = Object;
  const hidden = (value) => ({ value, writable: true, enumerable: false, configurable: true });
  for (const [name, descriptor] of additions) defineProperty(globalThis, name, descriptor);
  for (const [name, value] of values) defineProperty(globalThis, name, hidden(value));
  defineProperty(globalThis, 'global', hidden(globalThis));

  const isOrdinary = Function.prototype[Symbol.hasInstance];
  const test = Function.prototype.call.bind(isOrdinary);
  const acceptInstances = (own, main) =>
    defineProperty(
      own,
      Symbol.hasInstance,
      hidden(function hasInstance(value) {
        return test(this, value) || (this === own && test(main, value)); // not for derived classes
      }),
    );
  for (const [name, main] of classes) acceptInstances(globalThis[name], main);
  acceptInstances(Object.getPrototypeOf(Uint8Array), typedArray);
}

/** Creates the functions that describe parts of a custom response for the report. */
function makeDescriptions(describeBytes) {
  const { stringify } = JSON;
  const { isArray } = Array;
  const { iterator } = Symbol;
  const text = String;
  /** Describes the content: bytes as they are, an object or a list as JSON, anything else as text. */
  const describeContent = (content) => {
    if (typeof content !== 'object' || content === null) return { content: text(content ?? '') };
    return describeBytes(content) ?? { content: text(stringify(content) ?? '') };
  };
  /** Makes an object of headers that are a `Headers` or a `Map`; values of a repeated name become a list. */
  const describeHeaders = (headers) => {
    if (typeof headers !== 'object' || isArray(headers)) return headers;
    if (typeof headers?.[iterator] !== 'function') return headers;
    const described = { __proto__: null };
    for (const [name, value] of headers)
      described[name] = name in described ? [described[name], value].flat() : value;
    return described;
  };
  return { describeContent, describeHeaders };
}

/** Defines the interface between scripts and the platform. */
function connect({ describeContent, describeHeaders }) {
  const { parse, stringify } = JSON;
  const { defineProperty } = Object;
  const isInstanceOf = Function.prototype.call.bind(Function.prototype[Symbol.hasInstance]);
  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true });

  function HttpResponse(status_code, content, content_type, headers) {
    if (!new.target) return new HttpResponse(status_code, content, content_type, headers);
    this.status_code = status_code || 200;
    this.content = content || '';
    this.content_type = content_type || 'application/json';
    this.headers = headers || {};
  }
  for (const [spelling, name] of [
    ['statusCode', 'status_code'],
    ['contentType', 'content_type'],
  ]) {
    defineProperty(HttpResponse.prototype, spelling, {
      get() {
        return this[name];
      },
      set(value) {
        this[name] = value;
      },
      configurable: true,
    });
  }
  let customResponse;
  let metaText;
  define('HttpResponse', HttpResponse);
  define('setResponse', (response) => {
    customResponse = response;
  });
  return {
    /** Sets the input, which is parsed here so that it consists of objects of this context. */
    setInput: ({ args, config, meta }) => {
      define('ARGS', parse(args));
      define('CONFIG', parse(config));
      define('META', parse(meta));
      metaText = meta;
    },
    /** Returns the address of the API, whatever the script has made of META. */
    apiUrl: () => parse(metaText).api_url,
    /** Returns the JSON of the custom response, or undefined without one. */
    describeResponse: () => {
      if (!isInstanceOf(HttpResponse, customResponse)) return undefined;
      const { status_code, content, content_type, headers } = customResponse;
      const body = describeContent(content);
      return stringify({ status_code, ...body, content_type, headers: describeHeaders(headers) });
    },
  };
}
const contextFunctions = new vm.Script(`[${installGlobals}, ${makeDescriptions}, ${connect}]`, {
  filename: __filename,
});

/**
 * Creates the globals of one run.
 *
 * @param evaluateClient see packages.cjs
 * @returns the context, and functions to set its input and to read its response
 */
exports.makeContext = (evaluateClient) => {
  const context = vm.createContext(vm.constants?.DONT_CONTEXTIFY ?? {});
  const module = { exports: {}, id: '.', filename: exports.fileName, loaded: false, children: [] };
  const stdout = once(() => openStream(1));
  const stderr = once(() => openStream(2));
  Object.defineProperty(process, 'stdout', describeGetter('stdout', stdout, true));
  Object.defineProperty(process, 'stderr', describeGetter('stderr', stderr, true));
  const console = once(() => new Console({ stdout: stdout(), stderr: stderr() }));
  const load = createRequire(`${process.cwd()}/${exports.fileName}`);
  const client = once(() => evaluateClient(context, load, platform.apiUrl()));
  const require = (name) => (name === clientName ? client() : load(name));
  Object.assign(require, load, { main: module }); // as for a program that `node main.js` starts
  const values = Object.entries({
    require,
    module,
    exports: module.exports,
    __filename: exports.fileName,
    __dirname: '.',
  });
  const typedArray = Object.getPrototypeOf(Uint8Array);
  const [installInContext, describeInContext, connectContext] =
    contextFunctions.runInContext(context);
  const platform = connectContext(describeInContext(describeBytes)); // first: it needs unmodified classes
  installInContext({ additions, classes, typedArray, values });
  Object.defineProperty(context, 'console', describeGetter('console', console, false));
  return { context, ...platform };
};

/** Opens an unbuffered stream, so that output is visible when the script hangs or crashes. */
function openStream(descriptor) {
  const stream = new Writable({
    decodeStrings: true,
    write: (chunk, _encoding, done) => {
      writeAll(descriptor, chunk);
      done();
    },
  });
  return Object.assign(stream, { fd: descriptor, _type: 'pipe' });
}
