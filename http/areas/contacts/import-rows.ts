import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { personIn } from '../../../actors/network/subject.ts';
import type { ContactDeps } from '../../../actors/services/contacts/contacts.ts';
import { type ImportDeps, MAX_ERRORS, NOTHING_IMPORTED } from '../../../actors/services/contacts/import/import-step.ts';
import { type Decision, MAX_IMPORT_BYTES, type StoredFile, storeCsv, storeRows } from '../../../actors/services/contacts/import/intake.ts';
import { previewOf } from '../../../actors/services/contacts/import/preview.ts';
import { type ImportReader, ImportStopped } from '../../../actors/services/contacts/import/reader.ts';
import type { JobHints } from '../../../actors/services/contacts/job-hints.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { type ImportFiles, piecesOf } from '../../../store/contacts/import-files.ts';
import type { ImportError, ImportTally, JobRow } from '../../../store/jobs/jobs.ts';
import { takeFile } from '../../core/multipart.ts';
import { type Area, rowsFor, type Upload } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';
import { type ImportCall, ImportForm, ImportQuerySchema, limited, type Said, takeContacts } from './import-body.ts';

export interface ContactImportsServices extends Pick<ContactDeps, 'labels'> {
  readonly jobHints: JobHints;
  readonly importFiles: ImportFiles;
  readonly importReader: ImportReader;
  readonly readPeople: ImportDeps['readPeople'];
}

interface Import extends ImportTally {
  readonly id: string;
  readonly status: JobRow['status'];
  readonly ignored: readonly string[];
  readonly decisions: readonly Decision[];
  readonly errors: readonly (Omit<ImportError, 'error'> & { readonly error: string })[];
}

const FORM_BYTES = 65_536;

const DecisionSchema = Joi.object<Decision>({ column: Joi.string().required(), as: Joi.string().required() });
const ErrorSchema = Joi.object({
  row: Joi.number().integer().required(),
  field: Joi.string().required(),
  error: Joi.string().required().description('An explanation in the language of the caller'),
  code: Joi.string()
    .required()
    .description(
      'A stable code: `invalid_number`, `ambiguous_number`, `empty`, `digits_lost`, `no_country`, `unknown_username`, `contradicting_identity`, `too_long`, `row_too_long`, …',
    ),
  readings: Joi.array().items(Joi.string()).description('For `ambiguous_number`: the possible numbers'),
}).meta({ title: 'ContactImportError' });

const count = Joi.number().integer().min(0).required();
const ImportSchema = Joi.object<Import>({
  id: Ulid.required(),
  status: Joi.string().valid('queued', 'running', 'done', 'failed').required(),
  total: count.description('Rows read so far'),
  created: count,
  updated: count,
  invalid: count.description('Rows with an error, which are not imported'),
  opted_in: count.description('People who agreed according to this import and are not opted out'),
  opted_out: count.description('Rows in which the person refused. Each is stored as an opt-out'),
  opt_outs_lifted: count.description('People whom an earlier list had opted out and who have agreed since, according to this import'),
  opt_outs_kept: count.description(
    'People who agreed according to this import but stay opted out, because they opted out themselves, your team opted them out, or an erasure kept the opt-out',
  ),
  merged: count.description('Rows about the same person as an earlier row, merged with it'),
  ignored: Joi.array()
    .items(Joi.string())
    .required()
    .description(
      'Columns and properties of contact cards that were ignored because they are unknown, and sheets of a workbook that were not read',
    ),
  decisions: Joi.array().items(DecisionSchema).required().description('How each other column was read: as a field or as `attr.<key>`'),
  errors: Joi.array()
    .items(ErrorSchema)
    .required()
    .description(`The first ${MAX_ERRORS} errors. \`row\` is the line in the file, including the header; for JSON the index from 1`),
}).meta({ title: 'ContactImport' });

const FILE_TYPES = [
  ...['text/csv', 'text/plain', 'application/csv', 'application/vnd.ms-excel', 'text/vcard', 'text/x-vcard', 'text/directory'],
  ...['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'application/octet-stream', 'multipart/form-data'],
];

const PreviewSchema = Joi.object({
  columns: Joi.array()
    .items(
      Joi.object({
        header: Joi.string().required(),
        samples: Joi.array().items(Joi.string()).required(),
        as: Joi.string().allow(null).required().description('A field, or `attr.<key>`; null if the column is ignored'),
        why: Joi.string().required(),
      }),
    )
    .required(),
  rows: Joi.number().integer().min(0).required().description('Non-empty rows below the header'),
  first: Joi.array()
    .items(
      Joi.object({
        phone: Joi.string().allow(null).required().description('Digits with the country code; null if the row has no number'),
        lid: Joi.string().allow(null).required(),
        username: Joi.string().allow(null).required(),
        name: Joi.string().allow(null).required(),
        vars: Joi.object()
          .pattern(/^var[1-5]$/, Joi.string())
          .required(),
        group: Joi.string().allow(null).required(),
        tags: Joi.array().items(Joi.string()).required(),
        attrs: Joi.object().pattern(/./, Joi.string()).required(),
        consent: Joi.string().valid('opted_in', 'opted_out').allow(null).required().description('The value in the row'),
      }),
    )
    .required()
    .description('The first contacts as they would be stored, at most 5'),
  problems: Joi.array().items(ErrorSchema).required().description('The first 100 errors; `no_phone_column` if no column has numbers'),
}).meta({ title: 'ContactImportPreview' });

const CSV = 'phone,name,tags\r\n+62 812-3456-7890,Anna Widodo,VIP\r\n';
const CARD = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna Widodo\r\nTEL:+62 812-3456-7890\r\nEND:VCARD\r\n';
const SAMPLES = Object.fromEntries(
  FILE_TYPES.filter((type) => !type.includes('officedocument') && !type.startsWith('multipart')).map((type) => [
    type,
    /card|directory/.test(type) ? CARD : CSV,
  ]),
);

const row = rowsFor<ContactImportsServices>();

export const contactImports: Area<ContactImportsServices> = {
  name: 'contact imports',
  about:
    'Import contacts from a file of at most 25 MB. A contact with a known phone is updated (empty cells and missing columns change nothing; tags are added). ' +
    'Columns are matched by their header, in English, Indonesian, Spanish, Portuguese, French, German, Arabic or Hindi, and as common programs name them: phone, lid and username (for people without a number), name, first and last name, var1 to var5, group, tags (separated by `;`), opt_in ' +
    '(yes or no), opt_out, status (`opted_in`, `opted_out`), `attr.<key>` or the name of an attribute. Separators are comma, semicolon, tab and vertical bar; encodings are UTF-8, UTF-16 and Windows-1252. Columns of names, numbers and countries are also known in Malay, ' +
    'Italian, Dutch, Turkish, Polish, Russian, Vietnamese, Thai, Chinese, Japanese, Korean and others. A person who refused in plain words (`unsubscribed`, `do not contact`, `abgemeldet`) under ' +
    'any header is opted out. If no header names the numbers, the contents do: the only column of numbers and the only column of names are taken unless `columns` says otherwise. ' +
    'Without a header, columns are named A, B, C and so on. Lines above the table are skipped as titles',
  rows: [
    row({
      id: 'previewContactImport',
      method: 'POST',
      path: '/v1/contacts/import/preview',
      summary: 'Preview an import',
      about:
        'Show how an import would read this file (the form part `file`, or the body): its columns, the first contacts, and the errors in its ' +
        'first part. Nothing is stored. `columns` and `bare_numbers` as for the import',
      audit: { none: 'changes nothing' },
      access: 'bearer',
      heavy: true,
      bytes: { types: FILE_TYPES, maxBytes: MAX_IMPORT_BYTES + FORM_BYTES, stream: true, form: ImportForm },
      samples: SAMPLES,
      query: ImportQuerySchema,
      status: 200,
      returns: PreviewSchema,
      refuses: ['OVERLOADED'],
      run: preview,
    }),
    row({
      id: 'importContacts',
      method: 'POST',
      path: '/v1/contacts/import',
      summary: 'Import contacts',
      about:
        'Import contacts from CSV, a workbook (.xlsx) or contact cards (the part `file` of a form, or the body), or from JSON ' +
        '`{rows: [{phone, name, tags, attrs, …}], opt_in?}`. `opt_in=true` records that all of them agreed to get messages; a column sets it for each ' +
        'row. The form field `columns`, `{<header>: <field>|attr.<key>|null}`, assigns columns; null ignores a column',
      audit: { action: 'contacts.import', on: 'jobs' },
      stepUp: { none: 'adds data and exports none' },
      access: 'bearer',
      limit: 'bulk',
      bytes: {
        types: [...FILE_TYPES, 'application/json'],
        maxBytes: MAX_IMPORT_BYTES + FORM_BYTES,
        stream: true,
        form: ImportForm,
        describedBy: Joi.object({
          rows: Joi.array().items(Joi.object().unknown()).required().description('Contacts, with the columns of a file as fields'),
          opt_in: Joi.boolean().description('For rows without their own value'),
        }),
      },
      example: { rows: [{ phone: '+62 812-3456-7890', name: 'Anna Widodo', tags: 'VIP' }] },
      samples: SAMPLES,
      query: ImportQuerySchema,
      status: 202,
      returns: Joi.object({ id: Ulid.required() }),
      refuses: ['INVALID_JSON', 'OVERLOADED'],
      run: begin,
    }),
    row({
      id: 'getContactImport',
      method: 'GET',
      path: '/v1/contacts/imports/{id}',
      summary: 'Get an import',
      about: 'Get the progress and the errors of an import. The record is kept for 30 days after it ends',
      access: 'bearer',
      params: Joi.object<{ id: string }>({ id: Ulid.required() }),
      status: 200,
      returns: ImportSchema,
      refuses: ['NOT_FOUND'],
      async run({ jobHints }, { caller, params, lang }) {
        const job = await jobHints.find(caller.tenantId, params.id);
        if (job?.kind !== 'import') throw refusal('NOT_FOUND');
        const { _id: id, status, tally, file, errors } = job;
        return {
          id,
          status,
          ...tally,
          ignored: file.ignored,
          decisions: file.decisions ?? [],
          errors: errors.map((one) => ({ ...one, error: one.error[lang] })),
        };
      },
    }),
  ],
};

async function begin(services: ContactImportsServices, call: ImportCall): Promise<{ id: string }> {
  const { caller, now } = call;
  await services.jobHints.expectRoom(caller.tenantId);
  const { file, optIn, bareNumbers } = await services.importReader
    .expectTime(caller.tenantId)
    .then(() => stored(services, call))
    .catch((cause) => Promise.reject(refusedBy(cause, now)));
  const { id, offset, line, ...rest } = file;
  const source = { ...rest, callingCode: caller.callingCode, optIn, ...(bareNumbers && { bareNumbers }) };
  const job = { kind: 'import', file: source, place: { offset, line }, tally: NOTHING_IMPORTED, errors: [] } as const;
  try {
    await fairSlices.run(caller.tenantId, () => services.jobHints.order(caller.tenantId, job, now, id));
  } catch (cause) {
    await removeUnlessBegun(services, caller.tenantId, file).catch(() => {});
    throw cause;
  }
  return { id };
}

async function preview(services: ContactImportsServices, call: ImportCall) {
  const { caller, now, lang } = call;
  const { tenantId, callingCode } = caller;
  const deps = { readPeople: services.readPeople, reader: services.importReader };
  await services.importReader.expectTime(tenantId).catch((cause) => Promise.reject(refusedBy(cause, now)));
  const { columns, rows, first, problems } = await takeContacts(services, call, async (source, told, said) => {
    const rules = { tenantId, callingCode, optIn: () => said().optIn, bare: () => said().bareNumbers };
    return previewOf(deps, source, told, rules);
  }).catch((cause) => Promise.reject(refusedBy(cause, now)));
  return {
    columns: columns.map((one) => ({ ...one, why: one.why[lang] })),
    rows,
    first: first.map(({ phone, lid = null, username = null, name = null, vars, group = null, tags, attrs, optIn, optOut }) => {
      const person = personIn(phone);
      return {
        phone: person.phone,
        lid: person.lid ?? lid,
        username,
        name,
        vars,
        group,
        tags,
        attrs,
        consent: optOut ? 'opted_out' : optIn ? 'opted_in' : null,
      };
    }),
    problems: problems.map((one) => ({ ...one, error: one.error[lang] })),
  };
}

function refusedBy(cause: unknown, now: number): unknown {
  if (!(cause instanceof ImportStopped)) return cause;
  const { reason, freeAt } = cause;
  return freeAt === null
    ? refusal('VALIDATION_FAILED', { field: 'file', reason })
    : refusal('RATE_LIMITED', { retryAfterMs: Math.max(1_000, freeAt - now), reason });
}

async function removeUnlessBegun(
  { jobHints, importFiles }: ContactImportsServices,
  tenantId: string,
  { id, bytes }: StoredFile,
): Promise<void> {
  if ((await jobHints.find(tenantId, id)) === null) await importFiles.remove(id, piecesOf(bytes));
}

async function stored(services: ContactImportsServices, call: ImportCall): Promise<Said & { readonly file: StoredFile }> {
  const { caller, body: upload, query, now } = call;
  const { tenantId } = caller;
  if (upload.type.toLowerCase().startsWith('application/json')) {
    const { file, optIn } = await fromJson(services, tenantId, upload, now);
    return { file, optIn: query.opt_in ?? optIn, bareNumbers: query.bare_numbers };
  }
  return takeContacts(services, call, async (source, told, said) => {
    const file = await storeCsv(services.importFiles, tenantId, source, told, now);
    return { file, ...said() };
  });
}

async function fromJson({ importReader, importFiles }: ContactImportsServices, tenantId: string, upload: Upload, now: number) {
  const read = await importReader.json(tenantId, (stage) => takeFile(upload, ({ source }) => stage(limited(source))));
  if (read === 'json') throw refusal('INVALID_JSON');
  if (read === 'rows') throw refusal('VALIDATION_FAILED', { field: 'rows', reason: NO_ROWS });
  const { rows, optIn } = read;
  try {
    return { file: await fairSlices.run(tenantId, () => storeRows(importFiles, tenantId, rows.bytes(), now)), optIn };
  } finally {
    await rows.close();
  }
}

const NO_ROWS = {
  en: 'the body must be {rows: [objects], opt_in?: boolean}, each row at most 32 levels deep and 384 KB long',
  id: 'isi permintaan harus berupa {rows: [objek], opt_in?: boolean}, tiap baris paling banyak 32 tingkat dan 384 KB',
};
