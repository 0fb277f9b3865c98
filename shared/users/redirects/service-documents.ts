import * as v from 'valibot';
import { ServiceError } from './service-call.ts';

/*
 * What is kept of the documents of a service. JSON of 64 KB may take megabytes once it is parsed, and a service may be
 * hostile to the server: the rest is left out.
 */

const maxAddress = 2048; // a browser is sent to one, in a header
const maxAlgorithms = 50;
const maxKeys = 100;

const address = v.pipe(v.string(), v.maxLength(maxAddress));
const names = v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(maxAlgorithms));
const metadata = v.object({
  issuer: address,
  authorization_endpoint: v.exactOptional(address),
  token_endpoint: v.exactOptional(address),
  jwks_uri: v.exactOptional(address),
  userinfo_endpoint: v.exactOptional(address),
  id_token_signing_alg_values_supported: v.exactOptional(names),
  token_endpoint_auth_methods_supported: v.exactOptional(names),
  authorization_response_iss_parameter_supported: v.exactOptional(v.boolean()),
});

/** What a log-in needs of a service's metadata. */
export type ServiceMetadata = v.InferOutput<typeof metadata>;

/**
 * Reads the metadata of a service.
 *
 * @throws ServiceError
 */
export function readMetadata(document: unknown): ServiceMetadata {
  const parsed = v.safeParse(metadata, document);
  if (!parsed.success) throw new ServiceError('metadata of another form');
  return parsed.output;
}

const part = v.exactOptional(v.string());
const keySet = v.object({
  keys: v.pipe(
    v.array(v.unknown()),
    v.maxLength(maxKeys),
    v.array(
      v.object({
        ...{ kty: part, kid: part, alg: part, use: part },
        ...{ n: part, e: part, crv: part, x: part, y: part },
      }),
    ),
  ),
});

/**
 * Returns a response with the public keys of a service that has nothing else; an error response as it is.
 *
 * @throws ServiceError
 */
export async function withKeysOnly(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  const parsed = v.safeParse(keySet, await response.json());
  if (!parsed.success) throw new ServiceError('keys of another form');
  return Response.json(parsed.output);
}
