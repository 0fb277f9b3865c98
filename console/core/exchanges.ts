import { signal } from '@preact/signals';
import type { ApiRequest } from './request.ts';

/** A request that the current screen made, without keys. */
export interface RecordedRequest {
  readonly request: ApiRequest;
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
}

const maxExchanges = 30;

/** Requests of the current screen, the newest first. The API panel shows them. */
export const exchanges = signal<readonly RecordedRequest[]>([]);

/** Adds a request; one that was repeated replaces its predecessor. */
export function record(exchange: RecordedRequest): void {
  const { method, path } = exchange.request;
  const others = exchanges.peek().filter(({ request, url }) => {
    return !(request.method === method && request.path === path && url === exchange.url);
  });
  exchanges.value = [exchange, ...others].slice(0, maxExchanges);
}

/** Empties the list when another screen opens. */
export function clearExchanges(): void {
  exchanges.value = [];
}
