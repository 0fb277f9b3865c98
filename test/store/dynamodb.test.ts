import { describe, it } from 'vitest';
import { endpoint, openTestTable } from '../aws-emulator/dynamodb.ts';
import { storeConformance } from './conformance.ts';

if (endpoint === undefined) {
  describe('DynamoDB as a store', () => {
    it.skip('requires an emulator: npm run test:dynamodb');
  });
} else {
  storeConformance('DynamoDB', { open: openTestTable });
}
