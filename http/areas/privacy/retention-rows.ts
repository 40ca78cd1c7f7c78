import Joi from 'joi';
import type { Retaining, RetentionSettings } from '../../../actors/services/privacy/retention/retention.ts';
import type { HoldRow, Holds } from '../../../store/privacy/holds.ts';
import { RETAINED, type RetentionDays } from '../../../store/privacy/retention.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';

export interface RetentionServices {
  readonly retaining: Retaining;
  readonly holds: Pick<Holds, 'ofTenant'>;
}

const MAX_DAYS = 3_650;

const Days = Joi.number().integer().min(0).max(MAX_DAYS).example(90).description('Days; 0: forever');
const each = <T>(schema: T): Record<string, T> => Object.fromEntries(RETAINED.map((kind) => [kind, schema]));
const AllDays = Joi.object<RetentionDays>(each(Days.required())).meta({ title: 'RetentionDays' });
const Counts = Joi.object(each(Joi.number().integer().min(0).example(17))).meta({ title: 'RetentionCounts' });

const KeepDisappearing = Joi.boolean().description('True: keep disappearing messages here after their timers end');

const RetentionSchema = Joi.object({
  retention_days: AllDays.required(),
  keep_disappearing: KeepDisappearing.required(),
  last_run: Joi.object({ at: Timestamp.required(), removed: Counts.required() }).allow(null).required(),
  pending: Joi.object({ retention_days: AllDays.required(), effective_at: Timestamp.required() })
    .allow(null)
    .required()
    .description('Shorter periods that take effect later. You can revert them until then'),
  hold: Joi.object({ reason: Joi.string().required(), until: Timestamp.required() })
    .meta({ title: 'Hold' })
    .allow(null)
    .required()
    .description('End of a hold on all data. Nothing is removed until then'),
}).meta({ title: 'Privacy' });

const row = rowsFor<RetentionServices>();

export const privacyRetention: Area<RetentionServices> = {
  name: 'privacy',
  about: 'How long messages, files, webhook deliveries and the audit log are kept. Only for the account owner',
  rows: [
    row({
      access: 'owner',
      id: 'getPrivacy',
      method: 'GET',
      path: '/v1/privacy',
      summary: 'Get the retention periods',
      about: 'Get the retention periods',
      status: 200,
      returns: RetentionSchema,
      run: async ({ retaining, holds }, { caller: { tenantId }, now }) =>
        shown(await retaining.settings(tenantId, now), await holds.ofTenant(tenantId, now)),
    }),
    row({
      access: 'owner',
      id: 'updatePrivacy',
      method: 'PUT',
      path: '/v1/privacy',
      summary: 'Update the retention periods',
      about:
        'Change the retention periods, and whether disappearing messages are kept. Omitted fields are unchanged. A shorter period takes effect after 24 hours',
      audit: { action: 'privacy.update', on: 'privacy_retention', target: 'tenant' },
      stepUp: { if: 'a period gets shorter, or `keep_disappearing` changes' },
      body: Joi.object<{ retention_days?: Partial<RetentionDays>; keep_disappearing?: boolean }>({
        retention_days: Joi.object(each(Days)).min(1),
        keep_disappearing: KeepDisappearing,
      }).min(1),
      status: 200,
      returns: RetentionSchema,
      async run({ retaining, holds }, { caller: { tenantId }, body: { retention_days = {}, keep_disappearing }, now, expectStepUp }) {
        const changed = await retaining.change(tenantId, retention_days, now, expectStepUp, keep_disappearing);
        return shown(changed, await holds.ofTenant(tenantId, now));
      },
    }),
    row({
      access: 'owner',
      id: 'previewPrivacy',
      method: 'GET',
      path: '/v1/privacy/preview',
      heavy: true,
      summary: 'Preview retention periods',
      about: 'Preview retention periods: count what they would remove now. Omitted periods are not counted',
      query: Joi.object<Partial<RetentionDays>>(each(Days)).min(1),
      status: 200,
      returns: Counts,
      run: ({ retaining }, { caller, query, now }) => retaining.preview(caller.tenantId, query, now),
    }),
  ],
};

const shown = (settings: RetentionSettings, hold: HoldRow | null): object => ({
  ...settings,
  hold: hold && { reason: hold.reason, until: hold.until },
});
