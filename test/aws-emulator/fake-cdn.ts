import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeAws } from './fake-aws.ts';
import type { Statement } from './policies.ts';

/** Name of the CDN among the callers of the fake. */
export const cdnCaller = 'cdn';

/** What the template says of the CDN. */
export interface BuiltCdn {
  /** Statements of the bucket's policy that allow it something. */
  readonly statements: readonly Statement[];
  /** Path that it puts in front of each request's. */
  readonly originPath: string;
  /** Headers of all responses. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the responses to pages of other origins. */
  readonly corsHeaders: Readonly<Record<string, string>>;
}

/** A running CDN. */
export interface FakeCdn {
  /** Without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a CDN of a bucket, which keeps nothing and forwards neither queries nor other methods than GET and HEAD. */
export async function startFakeCdn(
  { originPath, headers, corsHeaders }: BuiltCdn,
  { askS3 }: Pick<FakeAws, 'askS3'>,
  bucket: string,
): Promise<FakeCdn> {
  const server = createServer(async (request, response) => {
    const { method = '', headers: asked } = request;
    const common = { ...headers, ...(asked.origin !== undefined && corsHeaders) };
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(403, common).end();
      return;
    }
    const path = String(request.url).replace(/\?.*/, '');
    const url = `/${bucket}${originPath}${path}`;
    const found = await askS3(cdnCaller, { method, url, headers: asked, body: Buffer.alloc(0) });
    response.writeHead(found.status, { ...found.headers, ...common }).end(found.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
