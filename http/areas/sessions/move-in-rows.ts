import Joi from 'joi';
import { beyondPlan, type Plans } from '../../../actors/domain/plans.ts';
import { invalidField, refusal } from '../../../actors/domain/refusals.ts';
import { FORMATS, WHYS } from '../../../actors/network/move-in/login-reader.ts';
import type { MoveInService } from '../../../actors/services/move-in/move-in.ts';
import { NoFormat, type ReadBundle } from '../../../actors/services/move-in/read-bundle.ts';
import type { FairSlots } from '../../../runtime/fair-slots.ts';
import type { MoveError } from '../../../store/devices/moving-login.ts';
import { takeFile } from '../../core/multipart.ts';
import { type Area, type DeviceCall, type Lang, rowsFor, type Upload } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';
import { inSession } from '../params.ts';

/**
 * Move-in: takes over another program's login without linking the phone again. The body is a full
 * login, so only counts and the ids of dropped records are logged, audited or returned.
 */

export interface MoveInServices {
  readonly moveIn: MoveInService;
  readonly plans: Plans;
  readonly uploads: FairSlots;
}

type MoveCall = DeviceCall<{ sessionId: string }, unknown, Upload>;

const row = rowsFor<MoveInServices>();

const NDJSON = 'application/x-ndjson';
const MAX_BYTES = 32 * 1_048_576;
const DEVICES = { en: 'devices', id: 'perangkat' };
const SAMPLE = [
  { format: 'sandbox' },
  {
    ...{ kind: 'creds', id: 'creds' },
    value: {
      ...{ me: { id: '6281234567890:1@s.whatsapp.net' }, account: { details: 'CAESBAgBEAE=' } },
      ...{ phone: '6281234567890', device: 1, secret: 'a secret of the sandbox' },
    },
  },
  { kind: 'lid-mapping', id: '6281100000001', value: '998112345678' },
  { kind: 'lid-mapping', id: '998112345678_reverse', value: '6281100000001' },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
const bundle = { types: [NDJSON], maxBytes: MAX_BYTES, stream: true } as const;
const BUNDLE =
  'The body is NDJSON: first `{"format": "baileys"}` (or `evolution`, `waha_noweb`, `fazer`, `whatsmeow`, `sandbox`), then one record per line, `{kind, id, value}`, ' +
  'with the names of its format; the login itself is `{"kind": "creds", "id": "creds", "value": …}`. At most 32 MB, and 1 MB per line. `npx gateway move-in` creates it from a folder or a database';

const NO_FORMAT = {
  en: `the first line must be {"format": "…"}, one of ${FORMATS.join(', ')}`,
  id: `baris pertama harus {"format": "…"}, salah satu dari ${FORMATS.join(', ')}`,
};
const NO_LOGIN = {
  en: 'the bundle contains no complete login for this network (creds with me, account and keys)',
  id: 'berkas tidak memuat login lengkap untuk jaringan ini: creds dengan me, account, dan kunci',
};

const ERRORS: Readonly<Record<MoveError, Readonly<Record<Lang, string>>>> = {
  INTERRUPTED: {
    en: 'The gateway stopped while it was moving the login in; start the move again',
    id: 'Gateway berhenti saat mengambil alih login; ulangi pemindahan',
  },
  LOGIN_INCOMPLETE: {
    en: 'The source contains no complete login for this network (creds with me, account and keys)',
    id: 'Sumber tidak memuat login lengkap untuk jaringan ini (creds dengan me, account, dan kunci)',
  },
  LOGIN_REFUSED: {
    en: 'The network no longer accepts this login: the phone unlinked it, or the number is banned. Link the phone again',
    id: 'Jaringan tidak lagi menerima login ini: tautan diputus di ponsel atau nomor diblokir. Tautkan ulang ponsel',
  },
  MOVED_ELSEWHERE: {
    en: 'Another program uses this login. Stop it permanently, then move in again from its current data',
    id: 'Program lain memakai login ini. Hentikan program itu secara permanen, lalu pindahkan lagi dari data terbarunya',
  },
  NOT_TAKEN_OVER: { en: 'The device already has another login', id: 'Perangkat sudah memiliki login lain' },
  NUMBER_MISMATCH: {
    en: 'According to the network, this login belongs to a different number than the source says',
    id: 'Menurut jaringan, login ini milik nomor lain dari yang tertulis di sumber',
  },
};

const CountsSchema = Joi.object().pattern(Joi.string(), Joi.number().integer()).required().example({ session: 812 });
const Dropped = Joi.array()
  .items(
    Joi.object({
      kind: Joi.string().allow('').required(),
      id: Joi.string().allow('').required(),
      why: Joi.string()
        .valid(...WHYS)
        .required(),
    }).meta({ title: 'DroppedRecord' }),
  )
  .required()
  .description('Records that were not taken over, the first 1,000');
const Ignored = CountsSchema.description('Records that the gateway does not need');
const ErrorSchema = Joi.object({
  code: Joi.string()
    .valid(...Object.keys(ERRORS))
    .required(),
  error: Joi.string().required(),
})
  .allow(null)
  .required();

export const moveIn: Area<MoveInServices> = {
  name: 'moving in',
  about: 'Take over the login of another program without linking the phone again. Stop that program permanently first',
  rows: [
    row({
      id: 'moveIn',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/move-in',
      summary: 'Move a login in',
      about: `Take over a login and connect with it. ${BUNDLE}. Stop the old program first: for 5 minutes after connecting, the gateway watches for it, and a use of the login elsewhere ends the move. 409 if the device already has a login`,
      audit: { action: 'session.move_in', on: 'move_ins', kinds: ['insert'] },
      stepUp: true,
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      params: inSession,
      bytes: bundle,
      samples: { [NDJSON]: SAMPLE },
      status: 202,
      returns: Joi.object({ id: Ulid.required() }),
      refuses: ['CONFLICT', 'LIMIT_REACHED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run(services, { caller, device, body, now }: MoveCall) {
        if (device.paused) throw beyondPlan(services.plans, caller.plan, 'devices', DEVICES);
        return { id: await reading(services, caller.tenantId, body, (chunks) => services.moveIn.begin(device, chunks, now)) };
      },
    }),
    row({
      id: 'checkMoveIn',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/move-in/check',
      summary: 'Check a login',
      about: `Check whether a login can be moved in, without taking it over. ${BUNDLE}`,
      audit: { none: 'changes nothing' },
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      params: inSession,
      bytes: bundle,
      samples: { [NDJSON]: SAMPLE },
      status: 200,
      returns: Joi.object({
        accepted: CountsSchema.description('Records that would be taken over, by kind'),
        dropped: Dropped,
        ignored: Ignored,
        phone: Joi.string().required().description('Digits with country code, no +'),
        warnings: Joi.array()
          .items(Joi.object({ code: Joi.string().required(), message: Joi.string().required() }))
          .required(),
      }),
      refuses: ['CONFLICT', 'OVERLOADED'],
      async run(services, { caller, device, body, lang, now }: MoveCall) {
        services.moveIn.expectNoLogin(device);
        const read = await reading(services, caller.tenantId, body, (chunks) => services.moveIn.check(chunks, now));
        const { login, accepted, dropped, ignored } = read;
        if (!login) throw invalidField('creds', NO_LOGIN);
        return { accepted, dropped, ignored, phone: login.phone, warnings: warningsOf(read, lang) };
      },
    }),
    row({
      id: 'getMoveIn',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/move-in/{id}',
      summary: 'Get a move',
      about: 'Get the progress of a move: `watching` for 5 minutes after the first login, then `done`. The record is kept for 7 days',
      access: 'bearer',
      scope: 'manage',
      deviceKeys: true,
      params: inSession.keys({ id: Joi.string().max(64).required() }),
      status: 200,
      returns: Joi.object({
        status: Joi.string().valid('checking', 'dialling', 'watching', 'done', 'failed').required(),
        accepted: CountsSchema.description('Records that were taken over, by kind'),
        dropped: Dropped,
        ignored: Ignored,
        error: ErrorSchema,
      }),
      refuses: ['NOT_FOUND'],
      async run({ moveIn }, { device, params, lang, now }) {
        const move = await moveIn.find(device, params.id, now);
        if (!move) throw refusal('NOT_FOUND');
        const { error, ...shown } = move;
        return { ...shown, error: error && { code: error, error: ERRORS[error][lang] } };
      },
    }),
  ],
};

function reading<T>(
  { uploads }: MoveInServices,
  tenantId: string,
  body: Upload,
  work: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  return uploads.run(tenantId, () =>
    takeFile(body, async ({ source }) => {
      try {
        return await work(source);
      } catch (cause) {
        throw cause instanceof NoFormat ? invalidField('format', NO_FORMAT) : cause;
      }
    }),
  );
}

const WARNINGS = {
  RECORDS_DROPPED: {
    en: 'Some records will not be moved; people whose sessions are among them may have to send a message again',
    id: 'Sebagian data tidak dipindahkan; orang yang sesinya termasuk di dalamnya mungkin harus mengirim ulang pesan',
  },
  NO_SESSIONS: {
    en: 'The source has no sessions: the first message from each person arrives only after it is sent again',
    id: 'Sumber tidak memuat sesi: pesan pertama dari setiap orang baru tiba setelah dikirim ulang',
  },
  LINK_DATE_UNKNOWN: {
    en: 'The source does not record when the phone was linked: warm-up begins today',
    id: 'Sumber tidak menyebut kapan ponsel ditautkan: pemanasan dimulai hari ini',
  },
} as const;

function warningsOf({ login, accepted, droppedCount }: ReadBundle, lang: Lang) {
  const codes = [
    ...(droppedCount > 0 ? (['RECORDS_DROPPED'] as const) : []),
    ...(accepted['session'] === undefined ? (['NO_SESSIONS'] as const) : []),
    ...(login?.linkedAt === null ? (['LINK_DATE_UNKNOWN'] as const) : []),
  ];
  return codes.map((code) => ({ code, message: WARNINGS[code][lang] }));
}
