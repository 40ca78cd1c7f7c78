import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { Erasing } from '../../../actors/services/privacy/erasure.ts';
import type { AuditDraft } from '../../../store/audit/entry.ts';
import { EVERYBODY, type Holds } from '../../../store/privacy/holds.ts';
import { actDraft } from '../../core/audited.ts';
import { type Area, type Call, rowsFor } from '../../core/row.ts';
import { Done, FutureTime, Timestamp } from '../../core/schemas.ts';
import { faultIfPast } from '../../core/times.ts';
import { PERSON_REFUSALS, type PersonServices, personNamed } from '../look-ups.ts';

export interface HoldServices extends PersonServices {
  readonly holds: Holds;
  readonly erasing: Pick<Erasing, 'hashOf'>;
  readonly audit: AuditTrail;
}

interface Hold {
  readonly reason: string;
  readonly until: number;
}

const HoldSchema = Joi.object({ reason: Joi.string().required(), until: Timestamp.required() }).meta({ title: 'Hold' });
const atPhone = Joi.object<{ phone: string }>({ phone: Joi.string().min(1).max(64).required().example('6281234567890') });
const HoldBody = Joi.object<Hold>({
  reason: Joi.string().min(1).max(500).pattern(/\S/).required().example('Invoice 17'),
  until: FutureTime.required(),
});

const row = rowsFor<HoldServices>();

export const privacyHolds: Area<HoldServices> = {
  name: 'privacy holds',
  about: 'Keep data for legal claims. A hold protects data from erasure requests, retention periods and deletion of the account',
  rows: [
    row({
      access: 'owner',
      id: 'holdPerson',
      method: 'PUT',
      path: '/v1/privacy/holds/{phone}',
      summary: 'Hold a person’s data',
      about: "Keep a person's data for legal claims until a given day, even if someone requests its erasure",
      audit: { action: 'privacy.hold', own: true, target: 'person' },
      stepUp: { if: 'the hold ends earlier than before' },
      params: atPhone,
      body: HoldBody,
      check: ({ until }, now) => faultIfPast('until', until, now),
      status: 200,
      returns: HoldSchema,
      refuses: PERSON_REFUSALS,
      run: async (services, call) => put(services, call, await person(services, call)),
    }),
    row({
      access: 'owner',
      id: 'endHold',
      method: 'DELETE',
      path: '/v1/privacy/holds/{phone}',
      summary: 'End a hold',
      audit: { action: 'privacy.end_hold', own: true, target: 'person' },
      stepUp: true,
      params: atPhone,
      status: 200,
      returns: Done,
      refuses: PERSON_REFUSALS,
      run: async (services, call) => end(services, call, await person(services, call)),
    }),
    row({
      access: 'owner',
      id: 'holdEverything',
      method: 'PUT',
      path: '/v1/privacy/hold',
      summary: 'Hold all data',
      about: 'Keep all data of the business until a given day. Erasures, retention periods and deletion of the account are suspended',
      audit: { action: 'privacy.hold', own: true, target: 'tenant' },
      stepUp: { if: 'the hold ends earlier than before' },
      body: HoldBody,
      check: ({ until }, now) => faultIfPast('until', until, now),
      status: 200,
      returns: HoldSchema,
      run: (services, call) => put(services, call, tenant(call)),
    }),
    row({
      access: 'owner',
      id: 'endHoldOfEverything',
      method: 'DELETE',
      path: '/v1/privacy/hold',
      summary: 'End the hold on everything',
      about: 'End the hold on all data',
      audit: { action: 'privacy.end_hold', own: true, target: 'tenant' },
      stepUp: true,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      run: (services, call) => end(services, call, tenant(call)),
    }),
  ],
};

/** `whose` is a hash and is stored. `target` goes to the audit log, where its number can be erased. */
interface Held {
  readonly whose: string;
  readonly target: AuditDraft['target'];
}

async function person(services: HoldServices, { caller, params, now }: Call<{ phone: string }, unknown, unknown>): Promise<Held> {
  const phone = await personNamed(services, { caller, now }, params.phone);
  return { whose: services.erasing.hashOf(caller.tenantId, phone), target: { kind: 'person', id: phone } };
}

const tenant = ({ caller }: Call<unknown, unknown, unknown>): Held => ({
  whose: EVERYBODY,
  target: { kind: 'tenant', id: caller.tenantId },
});

async function put({ audit, holds }: HoldServices, call: Call<unknown, unknown, Hold>, { whose, target }: Held): Promise<Hold> {
  const { caller, body, now } = call;
  const { reason, until } = body;
  await audit.act(actDraft(call, 'privacy.hold', target), { collection: 'privacy_holds' }, async () => {
    if (await holds.prolong(caller.tenantId, whose, { reason, until }, now)) return;
    call.expectStepUp();
    await holds.put(caller.tenantId, whose, { reason, until }, now);
  });
  return { reason, until };
}

async function end({ audit, holds }: HoldServices, call: Call<unknown, unknown, unknown>, { whose, target }: Held): Promise<{ ok: true }> {
  const wasThere = await audit.act(actDraft(call, 'privacy.end_hold', target), { collection: 'privacy_holds', kinds: ['delete'] }, () =>
    holds.end(call.caller.tenantId, whose),
  );
  if (!wasThere) throw refusal('NOT_FOUND');
  return { ok: true };
}
