import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { Erasing } from '../../../actors/services/privacy/erasure.ts';
import type { Page } from '../../../store/paging/page.ts';
import type { ErasureRow, Erasures } from '../../../store/privacy/erasures.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { nextPage, PhoneText, paging, Timestamp, Ulid } from '../../core/schemas.ts';
import { PERSON_REFUSALS, type PersonServices, personNamed } from '../look-ups.ts';

export interface PrivacyServices extends PersonServices {
  readonly erasures: Erasures;
  readonly erasing: Erasing;
  hintErasures(now: number): void;
}

const KEPT = [
  { what: 'opt_out', why: 'the opt-out of an erased person is kept under a keyed hash instead of the number' },
  { what: 'counters', why: 'they name nobody' },
];

const Erasure = Joi.object({
  id: Ulid.required(),
  status: Joi.string().valid('queued', 'running', 'done').required(),
  requested_at: Timestamp.required(),
  done_at: Timestamp.allow(null).required(),
  counts: Joi.object().pattern(Joi.string(), Joi.number().integer()).required().description('What was removed, by kind'),
  kept: Joi.array()
    .items(Joi.object({ what: Joi.string().required(), why: Joi.string().required() }))
    .required(),
  proof: Joi.string()
    .allow(null)
    .required()
    .description('A keyed hash over the request, the person and the counts; null until the erasure is done'),
}).meta({ title: 'Erasure' });

const row = rowsFor<PrivacyServices>();

export const privacy: Area<PrivacyServices> = {
  name: 'privacy',
  about: "Erase a person's data. Only for the account owner",
  rows: [
    row({
      access: 'owner',
      id: 'erasePerson',
      method: 'POST',
      path: '/v1/privacy/erasures',
      summary: 'Erase a person',
      about: 'Erase all data that is stored about a person now. Their opt-out is kept',
      audit: { action: 'privacy.erase', on: 'privacy_erasures', kinds: ['update'] },
      stepUp: true,
      body: Joi.object<{ phone: string; confirm?: boolean }>({ phone: PhoneText.required(), confirm: Joi.boolean().example(true) }),
      status: 202,
      returns: Erasure,
      refuses: [...PERSON_REFUSALS, 'CONFIRMATION_REQUIRED', 'CONFLICT', 'LIMIT_REACHED'],
      async run(services, { caller, body, now }) {
        const { erasing, hintErasures } = services;
        const phone = await personNamed(services, { caller, now }, body.phone);
        if (body.confirm !== true) throw refusal('CONFIRMATION_REQUIRED');
        const begun = await erasing.begin(caller.tenantId, phone, now);
        hintErasures(now);
        return shown(begun);
      },
    }),
    row({
      access: 'owner',
      id: 'listErasures',
      method: 'GET',
      path: '/v1/privacy/erasures',
      summary: 'List erasures',
      about: 'List erasures, newest first',
      query: Joi.object<{ limit: number; before?: number; before_id?: string }>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ erasures: Joi.array().items(Erasure).required(), ...nextPage }),
      async run({ erasures }, { caller, query }) {
        const list = (page: Page) => erasures.list(caller.tenantId, page);
        const { entries, next } = await pageFrom(caller.tenantId, query, { list, show: shown });
        return { erasures: entries, ...next };
      },
    }),
    row({
      access: 'owner',
      id: 'getErasure',
      method: 'GET',
      path: '/v1/privacy/erasures/{id}',
      summary: 'Get an erasure',
      about: 'Get the progress of an erasure, and its proof',
      params: Joi.object<{ id: string }>({ id: Ulid.required() }),
      status: 200,
      returns: Erasure,
      refuses: ['NOT_FOUND'],
      async run({ erasures }, { caller, params }) {
        const found = await erasures.find(caller.tenantId, params.id);
        if (!found) throw refusal('NOT_FOUND');
        return shown(found);
      },
    }),
  ],
};

function shown({ _id: id, open, step, created_at: requested_at, done_at, counts, proof }: ErasureRow): object {
  const status = open ? (step === 0 ? 'queued' : 'running') : 'done';
  return { id, status, requested_at, done_at, counts, kept: KEPT, proof };
}
