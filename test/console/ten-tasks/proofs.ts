import { expect } from 'vitest';
import type { SendRequest } from '../../../shared/clients/client.ts';
import { findBooks, instance } from './book-world.ts';
import type { TaskName } from './counts.ts';

/** Fails unless the server has what a task was to do. */
type Proof = (send: SendRequest) => Promise<void>;

const base = `/v1.1/instances/${instance}/`;

async function proveClass(send: SendRequest): Promise<void> {
  const { body } = await send({ path: `${base}classes/novel/` });
  const types = body.schema.map(({ name, type }: Record<string, string>) => [name, type]);
  expect(types).toEqual([
    ['title', 'string'],
    ['pages', 'integer'],
    ['read', 'boolean'],
    ['bought', 'datetime'],
    ['cover', 'file'],
    ['shop', 'geopoint'],
  ]);
}

/** The request is sent some seconds later where it can be undone. */
async function proveDeletion(send: SendRequest): Promise<void> {
  const found = () => findBooks(send, { title: { _eq: 'Shirley' } });
  await expect.poll(found, { timeout: 15_000 }).toEqual([]);
}

/** Makes an API key for a while: a task is to make the first one. */
async function withKey(send: SendRequest, use: (key: string) => Promise<void>): Promise<void> {
  const { id, api_key: key } = (await send({ path: `${base}api_keys/`, body: {} })).body;
  await use(key);
  await send({ method: 'DELETE', path: `${base}api_keys/${id}/` });
}

const proveRight = (send: SendRequest) =>
  withKey(send, async (key) => {
    const body = { username: 'ada', password: 'first password' };
    const { user_key } = (await send({ path: `${base}user/auth/`, key, body })).body;
    const path = `${base}classes/book/objects/?user_key=${user_key}`;
    expect((await send({ path, key })).body.objects.length).toBeGreaterThan(20);
  });

const proveUser = (send: SendRequest) =>
  withKey(send, async (key) => {
    const body = { username: 'edgar@example.com', password: 'first password' };
    await send({ path: `${base}user/auth/`, key, body });
  });

async function proveKey(send: SendRequest): Promise<void> {
  const { body } = await send({ path: `${base}api_keys/` });
  expect(body.objects).not.toEqual([]);
}

async function proveBackup(send: SendRequest): Promise<void> {
  const { body } = await send({ path: `${base}backups/full/` });
  expect(body.objects).toMatchObject([{ status: 'success' }]);
}

/** By the names of tasks; absent for those that only look. */
export const proofs: Readonly<Partial<Record<TaskName, Proof>>> = {
  'make a class of six fields': proveClass,
  'change one value of an object': async (send) =>
    expect(await findBooks(send, { title: { _eq: 'Villette' } })).toMatchObject([{ stock: 15 }]),
  'delete one object': proveDeletion,
  'give a user a right': proveRight,
  'create a user': proveUser,
  'make an API key and get a first request as curl': proveKey,
  'make a backup': proveBackup,
  'import a CSV of ten rows': async (send) =>
    expect(await findBooks(send, { title: { _startswith: 'Row ' } })).toHaveLength(10),
};
