import { expect, it } from 'vitest';
import {
  fieldsOf,
  normalField,
  shortFields,
} from '../../bin/groundwork/project/model/class-fields.ts';

/* Sizes of smaller pictures in groundwork.yml. */

const field = { name: 'cover', type: 'file', private: true, thumbs: ['100x100', '600x0'] } as const;

it('are words of groundwork.yml', () => {
  expect(shortFields(fieldsOf([field]))).toEqual({ cover: 'file private 100x100 600x0' });
});

it('belong to files', () => {
  const message = normalField({ name: 'title', type: 'string', thumbs: ['9x9'] });
  expect(message).toBe('a field of type string has no thumbs');
});
