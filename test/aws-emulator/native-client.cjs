/*
 * Replaces the native part of AWS's runtime client, rapid-client.node, which is built with a C++ compiler and curl: the
 * same three functions over HTTP. Loaded with --require, before the client.
 */
const { Agent, request } = require('node:http');
const { registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');

const url = pathToFileURL(__filename).href;
const hooks = registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier !== './rapid-client.node') return next(specifier, context);
    hooks.deregister(); // modules of the function are loaded without it
    return { url, format: 'commonjs', shortCircuit: true };
  },
});

const invocation = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function send(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(`${invocation}${path}`, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode < 300) resolve({ bodyJson: text, headers: response.headers });
        else reject(new Error(`the Runtime API returns ${response.statusCode}: ${text}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** The original one sends a result before it returns; this one sends it before it asks for the next event. */
let posted = Promise.resolve();
const post = (path, headers, body) => {
  posted = send('POST', path, { 'Content-Type': 'application/json', ...headers }, body);
  posted.catch(() => undefined); // thrown by `next`
};

exports.next = () => posted.then(() => send('GET', '/next', {}));
exports.done = (id, body) => post(`/${id}/response`, {}, body);
exports.error = (id, body) => {
  const type = JSON.parse(body).errorType;
  post(`/${id}/error`, { 'Lambda-Runtime-Function-Error-Type': type }, body);
};
