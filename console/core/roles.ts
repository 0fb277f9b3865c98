import { signal } from '@preact/signals';
import { type AdminRole, roles } from '../../shared/values/access.ts';
import { at, type RequestPath } from '../../shared/values/text/request-path.ts';
import type { ApiRequest } from './request.ts';
import { roleRights } from './role-rights.ts';
import { lens, session } from './session.ts';

/** A request that a control sends, as far as the right to it depends on it. */
export type SentRequest = Pick<ApiRequest, 'method' | 'path' | 'isOwn'>;

const strongestFirst: readonly string[] = ['owner', ...roles];
const rights = roleRights
  .trim()
  .split('\n')
  .map((line) => {
    const [, request = '', role = ''] = /^(.+) (\w+)$/.exec(line.replaceAll('*', '[^/]+')) ?? [];
    return { pattern: new RegExp(`^${request}$`), role };
  });

/** Roles of the account that is signed in, by the instances that the tab has opened. */
const known = signal<Readonly<Record<string, AdminRole>>>({});

/** A read of the record of an instance. */
interface RecordRead {
  readonly at: number;
  readonly record: Promise<unknown>;
  /** No screen has it yet. */
  isSpare: boolean;
}

/** The last read of each instance. */
const reads = new Map<string, RecordRead>();
const renewMs = 60_000; // a role may be changed by others
const spareMs = 5_000; // the code of a screen is loaded meanwhile
session.subscribe(() => {
  known.value = {};
  reads.clear();
});

/** Returns the instance that a path is below, and the rest of the path; undefined: it is in none. */
export function inInstance(path: RequestPath) {
  const [, name, rest = ''] = /^(?:\/v1\.1\/)?instances\/([^/]+)\/([^?]*)/.exec(path) ?? [];
  return name === undefined ? undefined : { instance: decodeURIComponent(name), rest };
}

/** Returns the role of the account in an instance; undefined: it is not known. */
export function roleIn(instance: string): AdminRole | undefined {
  return known.value[instance];
}

/** Returns why the role of the account, or the view, does not allow a request; undefined: it does, or is not known. */
export function refusalOf({ method, path, isOwn }: SentRequest): string | undefined {
  const { instance = '', rest = '' } = inInstance(path) ?? {};
  if (lens.value?.instance === instance && !isOwn) {
    const isOfClass = /^classes\/([^/]+\/)?$/.test(rest);
    return method !== 'GET' && isOfClass ? 'No API key changes classes. End this view.' : undefined;
  }
  const role = roleIn(instance);
  if (role === undefined) return undefined;
  const request = `${method} ${rest || '.'}`;
  const usual = method === 'GET' ? 'read' : 'write';
  const weakest = rights.find(({ pattern }) => pattern.test(request))?.role ?? usual;
  if (strongestFirst.indexOf(role) <= strongestFirst.indexOf(weakest)) return undefined;
  return refusalText(role, weakest);
}

/** Returns why the usage of an instance, which is no path below it, is empty; undefined: it is not, or not known. */
export function usageRefusal(instance: string): string | undefined {
  const role = roleIn(instance);
  if (role === undefined || role === 'owner') return undefined;
  return refusalText(role, 'owner');
}

function refusalText(role: AdminRole, weakest: string): string {
  const needed =
    weakest === 'owner' ? 'Only the owner can do this' : `This needs the role ${weakest} or higher`;
  return `${needed}. Your role is ${role}.`;
}

/**
 * Learns the role of the account before the first request in an instance, and again after a while. A request waits for
 * it unless the last known role allows it.
 *
 * @param send sends a request by {@link readOnce}
 */
export async function learnRole(
  sent: SentRequest,
  send: (request: ApiRequest) => Promise<unknown>,
): Promise<void> {
  const { instance } = inInstance(sent.path) ?? {};
  if (instance === undefined || isRecord(sent) || session.peek() === undefined) return;
  if (Date.now() - (reads.get(instance)?.at ?? 0) >= renewMs) {
    const path = at`instances/${instance}/`;
    void send({ method: 'GET', path, isOwn: true }).catch(() => undefined); // the request itself says why
  }
  const last = reads.get(instance);
  if (last !== undefined && sent.method !== 'GET') last.isSpare = false; // the request may change the record
  if (roleIn(instance) !== undefined && refusalOf(sent) === undefined) return;
  await last?.record.catch(() => undefined);
}

interface RoleRecord<Named extends string> {
  readonly role: Named;
  readonly owner: { readonly id?: number };
}

/** Returns the role of the account by the record of an instance, which has `full` for its owner. */
export function roleOf<Named extends string>({ role, owner }: RoleRecord<Named>): Named | 'owner' {
  return owner.id !== undefined && owner.id === session.peek()?.id ? 'owner' : role;
}

/**
 * Sends a request, and notes the role of the account when the response is the record of an instance. A screen that
 * starts gets the record that `learnRole` has read for it.
 */
export function readOnce(request: ApiRequest, read: () => Promise<unknown>): Promise<unknown> {
  const { instance = '' } = inInstance(request.path) ?? {};
  if (!isRecord(request) || (lens.peek()?.instance === instance && !request.isOwn)) {
    return read();
  }
  const last = reads.get(instance);
  if (last?.isSpare && Date.now() - last.at < spareMs) {
    last.isSpare = false;
    return last.record;
  }
  const isLast = () => reads.get(instance)?.record === record; // of this session
  const record: Promise<unknown> = read().then(
    (body) => {
      if (isLast()) noteRole(instance, body as RoleRecord<AdminRole>); // as the interface describes it
      return body;
    },
    (error: unknown) => {
      if (isLast()) reads.delete(instance); // the next request learns the role
      throw error;
    },
  );
  reads.set(instance, { at: Date.now(), record, isSpare: request.isOwn === true });
  return record;
}

function noteRole(instance: string, record: RoleRecord<AdminRole>): void {
  known.value = { ...known.peek(), [instance]: roleOf(record) };
}

/** Checks whether a request reads the record of an instance. */
function isRecord({ method, path }: SentRequest): boolean {
  return method === 'GET' && inInstance(path)?.rest === '';
}
