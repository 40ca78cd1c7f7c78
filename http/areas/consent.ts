import { setImmediate as turn } from 'node:timers/promises';
import Joi from 'joi';
import type { ConsentBook } from '../../actors/consent/book.ts';
import { changeConsentConfig, consentConfigOf } from '../../actors/consent/config.ts';
import { whoOf } from '../../actors/consent/people.ts';
import { partsOfNumber, resolveChat } from '../../actors/phone-numbers.ts';
import { refusal } from '../../actors/refusals.ts';
import { Refusal } from '../../runtime/errors.ts';
import type { ConsentConfigs } from '../../store/consent-configs.ts';
import { consentPage, everyConsent } from '../../store/consent-list.ts';
import type { ConsentRow, ConsentSource, ConsentStatus, Consents } from '../../store/consents.ts';
import { csv } from '../csv.ts';
import { type Area, type Call, type Caller, rowsFor } from '../row.ts';
import { Before, beforeId, Timestamp } from '../schemas.ts';
import { ConfigPatch, ConfigSchema, ConsentSchema, HistorySchema, Note, phoneIn, Status, toConsent } from './consent-schemas.ts';

export interface ConsentWorld {
  readonly consents: Consents;
  readonly consentConfigs: ConsentConfigs;
  readonly consentBook: ConsentBook;
}

const MOST_PHONES = 10_000;
/** Reading numbers costs: so many at a time, and others have their turn. */
const READ_AT_ONCE = 250;
const MOST_HISTORY = 1_000;

const atPhone = Joi.object<{ phone: string }, true>({
  phone: Joi.string()
    .min(1)
    .max(64)
    .required()
    .description(
      '`+<country code><number>` (the `+` URL-encoded), digits, or a local number of the business country; also an `@lid` address',
    )
    .example('6281234567890'),
});

const row = rowsFor<ConsentWorld>();

export const consent: Area<ConsentWorld> = {
  name: 'consent',
  about:
    'Who agreed to be written to. A customer who writes STOP, or a word like it in any of over 40 languages, is opted out at once: what ' +
    'waits for them and is marketing is stopped on every device.',
  rows: [
    row({
      id: 'listConsent',
      method: 'GET',
      path: '/v1/consent',
      summary: 'Consent records, newest change first, with a summary of all',
      access: 'bearer',
      query: Joi.object<{ status?: ConsentStatus; q?: string; limit: number; before?: number; before_id?: string }>({
        status: Status,
        q: Joi.string()
          .pattern(/\d/)
          .max(32)
          .description('Part of the number. A page may then hold fewer than `limit` though more follow')
          .example('812'),
        limit: Joi.number().integer().min(1).max(200).default(50).description('Records a page'),
        before: Before,
        before_id: beforeId(Joi.string().max(64).example('6281234567890')),
      }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({
        summary: Joi.object({ opted_in: Joi.number().integer().required(), opted_out: Joi.number().integer().required() }).required(),
        consent: Joi.array().items(ConsentSchema).required(),
        next_before: Timestamp.allow(null).required(),
        next_before_id: Joi.string().allow(null).required(),
      }),
      async run({ consents }, { caller, query: { status, q, limit, before = null, before_id = null } }) {
        const { tenantId, callingCode } = caller;
        const parts = q === undefined ? undefined : partsOfNumber(q.replace(/[^+\d]/g, ''), callingCode);
        const question = { filter: { ...(status && { status }) }, parts, page: { limit, before, beforeId: before_id } };
        const [summary, { rows, next }] = await Promise.all([consents.summary(tenantId), consentPage(consents, tenantId, question)]);
        return { summary, consent: rows.map(toConsent), next_before: next?.updated_at ?? null, next_before_id: next?.who ?? null };
      },
    }),
    row({
      id: 'getConsentConfig',
      method: 'GET',
      path: '/v1/consent/config',
      summary: 'The settings of consent in force',
      access: 'bearer',
      status: 200,
      returns: ConfigSchema,
      run: ({ consentConfigs }, { caller }) => consentConfigOf(consentConfigs, caller.tenantId),
    }),
    row({
      id: 'putConsentConfig',
      method: 'PUT',
      path: '/v1/consent/config',
      summary: 'Change any of the settings of consent; what is not named stays',
      access: 'owner',
      body: ConfigPatch,
      status: 200,
      returns: ConfigSchema,
      refuses: ['CONFLICT'],
      run: ({ consentConfigs }, { caller, body }) => changeConsentConfig(consentConfigs, caller.tenantId, body),
    }),
    row({
      id: 'exportConsent',
      method: 'GET',
      path: '/v1/consent/export',
      summary: 'All consent records as CSV, in the order of their numbers',
      access: 'bearer',
      agents: false,
      status: 200,
      produces: ['text/csv'],
      returns: Joi.any(),
      run: ({ consents }, { caller }) =>
        csv('consent.csv', ['phone', 'status', 'source', 'note', 'updated_at'], cells(everyConsent(consents, caller.tenantId))),
    }),
    row({
      id: 'setConsents',
      method: 'POST',
      path: '/v1/consent/bulk',
      summary: 'Set the consent of up to 10,000 numbers; who has that status already stays as it is',
      access: 'bearer',
      agents: false,
      body: Joi.object<{ phones: string[]; status: ConsentStatus; note?: string | null }>({
        phones: Joi.array().items(Joi.string().max(64).allow('')).min(1).max(MOST_PHONES).required().example(['+6281234567890']),
        status: Status.required(),
        note: Note,
      }),
      status: 200,
      returns: Joi.object({
        changed: Joi.number().integer().required(),
        unchanged: Joi.number().integer().required().description('A number that comes twice is counted here the second time'),
        invalid: Joi.number().integer().required(),
      }),
      run: setMany,
    }),
    row({
      id: 'getConsentHistory',
      method: 'GET',
      path: '/v1/consent/history/{phone}',
      summary: 'What one number agreed to, and every change of it, newest first (the last 1,000)',
      access: 'bearer',
      params: atPhone,
      status: 200,
      returns: Joi.object({
        phone: ConsentSchema.extract('phone').required(),
        current: ConsentSchema.allow(null).required(),
        history: Joi.array().items(HistorySchema).required(),
      }),
      refuses: ['INVALID_NUMBER'],
      async run({ consents }, { caller, params }) {
        const who = personOf(params.phone, caller);
        const current = await consents.find(caller.tenantId, who);
        const history = await consents.history(caller.tenantId, who, MOST_HISTORY);
        return {
          phone: phoneIn(who),
          current: current && toConsent(current),
          history: history.map(({ status, source, note, at }) => ({ status, source, note, at })),
        };
      },
    }),
    row({
      id: 'putConsent',
      method: 'PUT',
      path: '/v1/consent/{phone}',
      summary: 'Set the consent of one number; the history gets an entry whether it differs or not',
      access: 'bearer',
      params: atPhone,
      body: Joi.object<{ status: ConsentStatus; note?: string | null }>({ status: Status.required(), note: Note }),
      status: 200,
      returns: Joi.object({
        ok: Joi.boolean().valid(true).required(),
        changed: Joi.boolean().required(),
        consent: ConsentSchema.required(),
      }),
      refuses: ['INVALID_NUMBER'],
      async run({ consentBook }, { caller, params, body, now }) {
        const wish = { status: body.status, source: sourceOf(caller), note: body.note ?? null, at: now };
        const { row: saved, changed } = await consentBook.set(caller.tenantId, personOf(params.phone, caller), wish);
        return { ok: true, changed, consent: toConsent(saved) };
      },
    }),
  ],
};

type ManyCall = Call<unknown, unknown, { phones: string[]; status: ConsentStatus; note?: string | null }>;

async function setMany({ consentBook }: ConsentWorld, { caller, body, now }: ManyCall) {
  const people: string[] = [];
  for (let from = 0; from < body.phones.length; from += READ_AT_ONCE) {
    people.push(...body.phones.slice(from, from + READ_AT_ONCE).flatMap((phone) => validPerson(phone, caller) ?? []));
    await turn();
  }
  const wish = { status: body.status, source: sourceOf(caller), note: body.note ?? null, at: now };
  const changed = await consentBook.setAll(caller.tenantId, people, wish);
  return { changed, unchanged: people.length - changed, invalid: body.phones.length - people.length };
}

const sourceOf = ({ key }: Caller): ConsentSource => (key === null ? 'dashboard' : 'api');

/** Refuses INVALID_NUMBER. */
function personOf(phone: string, caller: Caller): string {
  const who = validPerson(phone, caller);
  if (who === null) throw refusal('INVALID_NUMBER', { reason: phone.slice(0, 32) });
  return who;
}

function validPerson(phone: string, { callingCode }: Caller): string | null {
  try {
    return whoOf(resolveChat(phone, callingCode));
  } catch (cause) {
    if (cause instanceof Refusal) return null;
    throw cause;
  }
}

async function* cells(rows: AsyncIterable<ConsentRow>) {
  for await (const { who, status, source, note, updated_at } of rows) yield [phoneIn(who), status, source, note, updated_at];
}
