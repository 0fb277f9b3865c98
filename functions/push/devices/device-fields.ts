import { computed, defineFields, text } from '../../../shared/core/family.ts';
import { flagField, json, metadataField } from '../../../shared/core/resource/field.ts';
import { deviceIdValue, tokenValue } from '../../../shared/push/rules/device-ids.ts';
import type { PushProvider } from '../../../shared/push/rules/provider.ts';
import { recordId } from '../../../shared/values/record-id.ts';

/** Returns the fields of a provider's devices (docs/reference/push.md#devices). */
export function deviceFields(provider: PushProvider) {
  const isGcm = provider === 'gcm';
  return defineFields({
    label: text(80),
    user: json(recordId(), { nullable: true, initial: null, shows: 'integer' }),
    registration_id: {
      type: 'string',
      writable: 'create',
      required: true,
      input: tokenValue(provider),
      maxLength: isGcm ? 512 : 200,
    },
    device_id: {
      type: 'string',
      writable: 'always',
      input: deviceIdValue(provider),
      initial: isGcm ? '' : null,
      ...(!isGcm && { nullable: true }),
    },
    metadata: metadataField(),
    is_active: { ...flagField(), initial: true, putDefault: true },
    created_at: computed('datetime'),
    updated_at: computed('datetime'),
  });
}

/** Fields of a device. */
export type DeviceFields = ReturnType<typeof deviceFields>;
