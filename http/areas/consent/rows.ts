import { setImmediate as turn } from 'node:timers/promises';
import Joi from 'joi';
import { numberCell } from '../../../actors/domain/csv.ts';
import { codeOf, type NumberFault, readingsOf } from '../../../actors/domain/numbers/read-number.ts';
import { partsOfNumber } from '../../../actors/domain/phone-numbers.ts';
import { isLid } from '../../../actors/network/jid.ts';
import { addressOf, personIn } from '../../../actors/network/subject.ts';
import { changeConsentConfig, consentConfigOf } from '../../../actors/services/consent/config.ts';
import { CONSENT_COLUMNS } from '../../../actors/services/consent/consent-columns.ts';
import type { ConsentService } from '../../../actors/services/consent/consent-service.ts';
import { type MergeAllKnownDeps, type MergeKnownDeps, mergeAllKnown, mergeKnown } from '../../../actors/services/consent/merge-known.ts';
import type { Visibility } from '../../../actors/services/conversations/visibility.ts';
import type { People } from '../../../actors/services/people/people.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import { at } from '../../../runtime/invariant.ts';
import type { ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import { consentPage, everyConsent } from '../../../store/consent/consent-list.ts';
import type { ConsentRow, ConsentSource, ConsentStatus } from '../../../store/consent/consent-row.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import { batchesOf } from '../../../store/patterns/batches-of.ts';
import { csv } from '../../core/csv.ts';
import { nextOf } from '../../core/paging.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { Before, beforeId, Readings, Timestamp } from '../../core/schemas.ts';
import { type Asking, lookUpFor, PERSON_REFUSALS, type PersonServices, personNamed } from '../look-ups.ts';
import { viewerOf } from '../params.ts';
import { tokenWarnings } from '../token-warnings.ts';
import { ConfigPatch, ConfigSchema, type ConsentRecord, ConsentSchema, HistorySchema, Note, Status, toConsents } from './schemas.ts';

export interface ConsentServices extends PersonServices {
  readonly people: MergeKnownDeps['people'] & MergeAllKnownDeps['people'];
  readonly persons: People;
  readonly consents: Consents;
  readonly consentConfigs: ConsentConfigs;
  readonly consentService: ConsentService;
  readonly visibility: Pick<Visibility, 'expectPerson'>;
}

const MAX_PHONES = 10_000;
const READ_BATCH_SIZE = 25;
const MAX_HISTORY = 1_000;
const MAX_NAMED = 1_000;

const atPhone = Joi.object<{ phone: string }, true>({
  phone: Joi.string()
    .min(1)
    .max(64)
    .required()
    .description(
      '`+<country code><number>` (with the `+` URL-encoded), digits, or a local number of the business country; also `<digits>@lid` and `@username`',
    )
    .example('6281234567890'),
});

const InvalidNumberSchema = Joi.object({
  index: Joi.number().integer().required().description('Index in `phones`, from 0'),
  value: Joi.string().allow('').required().description('The value as it was sent'),
  reason: Joi.string()
    .valid('ambiguous_number', 'invalid_number', 'several_numbers', 'digits_lost', 'no_country', 'unknown_username', 'empty')
    .required(),
  readings: Readings,
}).meta({ title: 'InvalidNumber' });

const row = rowsFor<ConsentServices>();

export const consent: Area<ConsentServices> = {
  name: 'consent',
  about:
    'Consent of recipients. A customer who writes STOP, or an equivalent word in 90 languages, is opted out at once: marketing that ' +
    'is waiting to be sent to them is cancelled on every device. Agents can read and set the consent of people whose chats they see.',
  rows: [
    row({
      id: 'listConsent',
      method: 'GET',
      path: '/v1/consent',
      summary: 'List consent records',
      about: 'List consent records, newest change first, with a summary of all',
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      query: Joi.object<{ status?: ConsentStatus; q?: string; limit: number; before?: number; before_id?: string }>({
        status: Status,
        q: Joi.string()
          .pattern(/\d/)
          .max(32)
          .description('Part of the number. With it, a page may have fewer entries than `limit` although more follow')
          .example('812'),
        limit: Joi.number().integer().min(1).max(200).default(50).description('Records per page'),
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
      async run({ consents, persons }, { caller, query: { status, q, limit, before = null, before_id = null } }) {
        const { tenantId, callingCode } = caller;
        const parts = q === undefined ? undefined : partsOfNumber(q.replace(/[^+\d]/g, ''), callingCode);
        const page = { limit, before, beforeId: before_id };
        const show = (rows: readonly ConsentRow[]) => toConsents(persons, tenantId, rows);
        const question = { filter: { ...(status && { status }) }, parts, page, show };
        const [summary, { entries, next }] = await Promise.all([consents.summary(tenantId), consentPage(consents, tenantId, question)]);
        return { summary, consent: entries, ...nextOf(next) };
      },
    }),
    row({
      id: 'getConsentConfig',
      method: 'GET',
      path: '/v1/consent/config',
      summary: 'Get the consent settings',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      status: 200,
      returns: ConfigSchema,
      run: ({ consentConfigs }, { caller }) => consentConfigOf(consentConfigs, caller.tenantId),
    }),
    row({
      id: 'putConsentConfig',
      method: 'PUT',
      path: '/v1/consent/config',
      summary: 'Update the consent settings',
      example: { enabled: true, require_attestation: true },
      about: 'Omitted fields are unchanged',
      audit: { action: 'consent.configure', on: 'consent_configs' },
      stepUp: { if: '`enabled`, `enforce_api` or `require_attestation` is turned off, or an opt-out word is removed' },
      access: 'owner',
      body: ConfigPatch,
      status: 200,
      returns: ConfigSchema,
      refuses: ['CONFLICT'],
      async run({ consentConfigs }, { caller, body, lang, expectStepUp }) {
        const saved = await changeConsentConfig(consentConfigs, caller.tenantId, body, expectStepUp);
        return { ...saved, ...tokenWarnings(lang, body.optout_reply, body.optin_reply) };
      },
    }),
    row({
      id: 'exportConsent',
      method: 'GET',
      path: '/v1/consent/export',
      summary: 'Export consent records',
      about:
        'Download all consent records as CSV, sorted by number. `lid` is the address of a person whose number is hidden; `POST /v1/consent/bulk` accepts it. You can import the file as contacts',
      audit: { action: 'consent.export' },
      stepUp: true,
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      status: 200,
      produces: ['text/csv'],
      samples: { 'text/csv': `${CONSENT_COLUMNS.join()}\r\n+6281234567890,opted_in,keyword,,1767225600000,,\r\n` },
      returns: Joi.any(),
      run: (services, { caller }) => csv('consent.csv', CONSENT_COLUMNS, cells(services, caller.tenantId)),
    }),
    row({
      id: 'setConsents',
      method: 'POST',
      path: '/v1/consent/bulk',
      summary: 'Set consent in bulk',
      about:
        'Set the consent of up to 10,000 people: numbers, `<digits>@lid` or `@username`. People who already have this status are unchanged. If a number can mean two ' +
        'people, an opt-out applies to both and an opt-in to neither',
      audit: { action: 'consent.bulk' },
      stepUp: { none: "everyday work; each person's history records the change" },
      access: 'bearer',
      heavy: true,
      limit: 'bulk',
      body: Joi.object<{ phones: string[]; status: ConsentStatus; note?: string | null }>({
        phones: Joi.array().items(Joi.string().max(64).allow('')).min(1).max(MAX_PHONES).required().example(['+6281234567890']),
        status: Status.required(),
        note: Note,
      }),
      status: 200,
      returns: Joi.object({
        changed: Joi.number().integer().required(),
        unchanged: Joi.number().integer().required().description('Includes numbers that appear twice'),
        invalid: Joi.number().integer().required(),
        opt_outs_lifted: Joi.number().integer().required().description('Changed people who had opted out before'),
        invalid_numbers: Joi.array().items(InvalidNumberSchema).required().description('The first 1,000'),
      }),
      run: setMany,
    }),
    row({
      id: 'getConsentHistory',
      list: { of: 'history' },
      method: 'GET',
      path: '/v1/consent/history/{phone}',
      summary: 'Get the consent history',
      about: 'Get the consent of one number and its history, newest first (the last 1,000 changes)',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: atPhone,
      status: 200,
      returns: Joi.object({
        phone: ConsentSchema.extract('phone').required(),
        lid: ConsentSchema.extract('lid').required(),
        current: ConsentSchema.allow(null).required(),
        history: Joi.array().items(HistorySchema).required(),
      }),
      refuses: PERSON_REFUSALS,
      async run(services, { caller, params, now }) {
        const { consents } = services;
        const subject = await personOf(services, { caller, now }, params.phone);
        const current = await consents.find(caller.tenantId, subject);
        const history = await consents.history(caller.tenantId, subject, MAX_HISTORY);
        const shown = { ...personIn(subject), username: null, name: null };
        const { phone, lid } = at(await services.persons.whole(caller.tenantId, [shown]), 0);
        return {
          ...{ phone, lid },
          current: current && (await shownConsent(services, current)),
          history: history.map(({ status, source, note, at }) => ({ status, source, note, at })),
        };
      },
    }),
    row({
      id: 'putConsent',
      method: 'PUT',
      path: '/v1/consent/{phone}',
      summary: "Set a person's consent",
      about: 'Set the consent of one number. The history gets an entry even if nothing changes',
      audit: { action: 'consent.set', on: 'consents', target: 'person' },
      stepUp: { none: "everyday work; the person's history records the change" },
      access: 'bearer',
      agents: true,
      params: atPhone,
      body: Joi.object<{ status: ConsentStatus; note?: string | null }>({ status: Status.required(), note: Note }),
      status: 200,
      returns: Joi.object({
        ok: Joi.boolean().valid(true).required(),
        changed: Joi.boolean().required(),
        consent: ConsentSchema.required(),
      }),
      refuses: PERSON_REFUSALS,
      async run(services, { caller, params, body, now }) {
        const { consentService } = services;
        const subject = await personOf(services, { caller, now }, params.phone);
        const change = { status: body.status, source: sourceOf(caller), note: body.note ?? null, at: now };
        const { row: saved, changed } = await consentService.set(caller.tenantId, subject, change);
        await mergeKnown(services, caller.tenantId, subject);
        return { ok: true, changed, consent: await shownConsent(services, saved) };
      },
    }),
  ],
};

type ManyCall = Call<unknown, unknown, { phones: string[]; status: ConsentStatus; note?: string | null }>;

async function setMany(services: ConsentServices, { caller, body, now }: ManyCall) {
  const named: string[] = [];
  const wrong: InvalidNumber[] = [];
  const lookUp = lookUpFor(services, { caller, now });
  let taken = 0;
  for (const some of inChunks(body.phones, READ_BATCH_SIZE)) {
    const reads = await services.personReader.all(caller, some, lookUp);
    for (const [nth, value] of some.entries()) {
      const read = at(reads, nth);
      // Keeps a hidden address as it is, so that entries that older versions stored under it are
      // merged.
      if (read.kind === 'person') named.push(isLid(value) ? value : read.subject);
      else {
        // If an opt-out may belong to either of two people, it applies to both.
        if (read.kind === 'ambiguous' && body.status === 'opted_out') named.push(...read.readings);
        wrong.push({ index: taken + nth, value, reason: codeOf(read), ...(read.kind === 'ambiguous' && { readings: readingsOf(read) }) });
      }
    }
    taken += some.length;
    await turn();
  }
  const people = await mergeAllKnown(services, caller.tenantId, named);
  const change = { status: body.status, source: sourceOf(caller), note: body.note ?? null, at: now };
  const { changed, lifted } = await services.consentService.setAll(caller.tenantId, people, change);
  await mergeAllKnown(services, caller.tenantId, people);
  return {
    ...{ changed, unchanged: people.length - changed, invalid: wrong.length, opt_outs_lifted: lifted },
    invalid_numbers: wrong.slice(0, MAX_NAMED),
  };
}

const sourceOf = ({ key }: Caller): ConsentSource => (key === null ? 'dashboard' : 'api');

/** Fails with NOT_FOUND if an agent cannot see any of the person's chats. */
async function personOf(services: ConsentServices, asking: Asking, text: string): Promise<string> {
  const { caller } = asking;
  const subject = await personNamed(services, asking, text);
  await services.visibility.expectPerson(viewerOf(caller), caller.tenantId, addressOf(subject));
  return mergeKnown(services, caller.tenantId, isLid(text) ? text : subject);
}

interface InvalidNumber {
  readonly index: number;
  readonly value: string;
  readonly reason: NumberFault;
  readonly readings?: readonly string[];
}

async function shownConsent({ persons }: ConsentServices, row: ConsentRow): Promise<ConsentRecord> {
  return at(await toConsents(persons, row.tenant_id, [row]), 0);
}

async function* cells({ consents, persons }: ConsentServices, tenantId: string) {
  for await (const some of batchesOf(everyConsent(consents, tenantId)))
    for (const { phone, status, source, note, updated_at, lid, username } of await toConsents(persons, tenantId, some))
      yield [numberCell(phone), status, source, note, updated_at, lid, username];
}
