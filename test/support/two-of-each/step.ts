import type { IncomingHttpHeaders } from 'node:http';
import type { Api } from '../api.ts';

/** Which of the things a step is about. */
export interface Turn {
  /** The tenant, 0 or 1. */
  readonly tenant: number;
  /** The thing, 0 or 1. */
  readonly at: number;
  /** Ids, names and keys by name; those of earlier responses are added. */
  readonly names: Record<string, string>;
}

/** A request that is sent in each turn. */
export interface Step {
  /** Method and path, with names of the turn in braces. */
  readonly call: string;
  readonly as?: 'owner' | 'guest' | 'app' | 'user' | 'member' | 'visitor' | 'nobody';
  /** True: it is sent once for each tenant. */
  readonly isOfTenant?: boolean;
  readonly body?: (turn: Turn, api: Api) => unknown;
  /** Returns ids, names and keys of a response, for later requests of the turn, or of all turns of the tenant. */
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  readonly keep?: (body: any, headers: IncomingHttpHeaders) => Readonly<Record<string, unknown>>;
  /** Makes what no request makes, before this one. */
  readonly before?: (api: Api, turn: Turn) => Promise<void>;
}

/** Returns the names of a turn before any response. */
export function firstNames(tenant: number, at: number): Record<string, string> {
  const one = (...names: readonly string[]) => names[at] ?? '';
  return {
    i: `/v1.1/instances/shop-${tenant}`,
    old: `/v1/instances/shop-${tenant}`,
    instance: `shop-${tenant}`,
    owner: `owner-${tenant}@example.com`,
    n: `${at + 1}`,
    other: `${2 - at}`,
    class: one('book', 'paper'),
    endpoint: one('newest', 'oldest'),
    template: one('card', 'page'),
    channel: one('news', 'talk'),
    script: one('greet', 'count'),
    hook: one('hook', 'hooked'),
    device: one('phone', 'tablet'),
    token: one('a1b2c3d4', 'd4c3b2a1').repeat(8),
  };
}

/** Returns the method and the path of a step, with the names of a turn. */
export function requestOf({ call }: Step, { names }: Turn) {
  const [method = '', template = ''] = call.split(' ');
  return { method, path: template.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name) };
}

/** Returns what a step keeps of its response: the id, under a name. */
export const idOf = (name: string) => (body: { readonly id: number }) => ({ [name]: body.id });

/** Returns a text that no other turn has. */
export const of = ({ tenant, at }: Turn) => `of tenant ${tenant}, thing ${at}`;

export const text = (turn: Turn) => ({ description: of(turn) });

export const password = 'a secret';

/** Returns the address of a tenant's guest, who logs in by a social service. */
export const person = ({ tenant }: Turn) => `person-${tenant}@example.com`;
