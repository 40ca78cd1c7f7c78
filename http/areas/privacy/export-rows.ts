import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { archived, manifestOf } from '../../../actors/services/privacy/export/archive.ts';
import type { Exporting } from '../../../actors/services/privacy/export/exporting.ts';
import type { MediaBytes } from '../../../store/media/media.ts';
import type { ExportRow, Exports } from '../../../store/privacy/exports.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, Raw, rowsFor } from '../../core/row.ts';
import { nextPage, PhoneText, paging, Timestamp, Ulid } from '../../core/schemas.ts';
import { PERSON_REFUSALS, type PersonServices, personNamed } from '../look-ups.ts';

export interface ExportServices extends PersonServices {
  readonly exports: Exports;
  readonly exporting: Exporting;
  readonly bytes: Pick<MediaBytes, 'read'>;
  hintExports(now: number): void;
}

const Export = Joi.object({
  id: Ulid.required(),
  of: Joi.string().valid('person', 'tenant').required(),
  status: Joi.string().valid('queued', 'running', 'done', 'failed').required(),
  progress: Joi.number().min(0).max(1).required().description('0–1'),
  counts: Joi.object().pattern(Joi.string(), Joi.number().integer()).required().description('Records so far, by kind'),
  requested_at: Timestamp.required(),
  done_at: Timestamp.allow(null).required(),
  expires_at: Timestamp.allow(null).required().description('When the export is removed'),
}).meta({ title: 'PrivacyExport' });

const oneExport = Joi.object<{ id: string }>({ id: Ulid.required() });
const NOT_DONE = { en: 'the export is not done', id: 'ekspor belum selesai' };

const row = rowsFor<ExportServices>();

export const privacyExports: Area<ExportServices> = {
  name: 'privacy exports',
  about:
    "Export of a person's data, or of the whole account: a zip file with JSON, CSV and the stored files by key. `manifest.json` lists every other file with its " +
    'size and SHA-256. You can import `contacts.csv` as contacts. Only for the account owner',
  rows: [
    row({
      access: 'owner',
      id: 'exportData',
      method: 'POST',
      path: '/v1/privacy/exports',
      summary: 'Export data',
      about: 'Export the data of a person, or, without `phone`, of the whole account. Exports are kept for 7 days, at most ten at once',
      audit: { action: 'privacy.export', on: 'privacy_exports', kinds: ['insert'] },
      stepUp: true,
      body: Joi.object<{ phone?: string }>({ phone: PhoneText }),
      status: 202,
      returns: Export,
      refuses: [...PERSON_REFUSALS, 'LIMIT_REACHED'],
      async run(services, { caller, body, now }) {
        const { exporting, hintExports } = services;
        const phone = body.phone === undefined ? null : await personNamed(services, { caller, now }, body.phone);
        const begun = await exporting.begin(caller.tenantId, phone, now);
        hintExports(now);
        return shown(exporting, begun);
      },
    }),
    row({
      access: 'owner',
      id: 'listExports',
      method: 'GET',
      path: '/v1/privacy/exports',
      summary: 'List exports',
      about: 'List exports, newest first',
      query: Joi.object<{ limit: number; before?: number; before_id?: string }>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ exports: Joi.array().items(Export).required(), ...nextPage }),
      async run({ exports, exporting }, { caller, query }) {
        const { entries, next } = await pageFrom(caller.tenantId, query, {
          list: (page) => exports.list(caller.tenantId, page),
          show: (one) => shown(exporting, one),
        });
        return { exports: entries, ...next };
      },
    }),
    row({
      access: 'owner',
      id: 'getExport',
      method: 'GET',
      path: '/v1/privacy/exports/{id}',
      summary: 'Get an export',
      about: 'Get the progress of an export',
      params: oneExport,
      status: 200,
      returns: Export,
      refuses: ['NOT_FOUND'],
      run: async (services, { caller, params, now }) => shown(services.exporting, await found(services, caller.tenantId, params.id, now)),
    }),
    row({
      access: 'owner',
      id: 'downloadExport',
      method: 'GET',
      path: '/v1/privacy/exports/{id}/download',
      summary: 'Download an export',
      about: 'Download an export as a zip file. Returns CONFLICT until the export is done',
      audit: { action: 'privacy.download' },
      stepUp: true,
      params: oneExport,
      status: 200,
      produces: ['application/zip'],
      returns: Joi.any(),
      refuses: ['NOT_FOUND', 'CONFLICT'],
      async run(services, { caller, params, now }) {
        const export_ = await found(services, caller.tenantId, params.id, now);
        if (export_.status !== 'done') throw refusal('CONFLICT', { reason: NOT_DONE });
        const files = await services.exports.files(export_._id);
        const manifest = manifestOf(export_, files, export_.of);
        return new Raw(archived(services.bytes, manifest, files), 'application/zip', 200, {
          'content-disposition': `attachment; filename="export-${export_._id}.zip"`,
          'cache-control': 'no-store',
        });
      },
    }),
  ],
};

/** Fails with NOT_FOUND if the export has expired, even if its files have not been removed yet. */
async function found({ exports }: ExportServices, tenantId: string, id: string, now: number): Promise<ExportRow> {
  const row = await exports.find(tenantId, id);
  if (!row || (row.expires_at !== null && row.expires_at <= now)) throw refusal('NOT_FOUND');
  return row;
}

function shown(exporting: Exporting, row: ExportRow): object {
  const { _id: id, of, status, counts, created_at: requested_at, done_at, expires_at } = row;
  return { id, of, status, progress: exporting.progressOf(row), counts, requested_at, done_at, expires_at };
}
