import Joi from 'joi';
import { invalidField, tooLarge } from '../../../actors/domain/refusals.ts';
import { ATTRIBUTE_KEY } from '../../../actors/domain/text-tokens.ts';
import type { ContactDeps } from '../../../actors/services/contacts/contacts.ts';
import type { Mapping } from '../../../actors/services/contacts/import/columns.ts';
import type { Told } from '../../../actors/services/contacts/import/head.ts';
import { kindOf, MAX_IMPORT_BYTES } from '../../../actors/services/contacts/import/intake.ts';
import type { ImportReader } from '../../../actors/services/contacts/import/reader.ts';
import { labelIndexOf } from '../../../actors/services/contacts/labels.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import type { ImportColumn } from '../../../store/jobs/jobs.ts';
import { takeFile } from '../../core/multipart.ts';
import type { Call, Upload } from '../../core/row.ts';

interface BodyServices extends Pick<ContactDeps, 'labels'> {
  readonly importReader: ImportReader;
}

const BARE_NUMBERS = ['national', 'international'] as const;

export interface ImportQuery {
  readonly opt_in?: boolean;
  readonly bare_numbers?: (typeof BARE_NUMBERS)[number];
}

const IMPORT_FIELDS = {
  opt_in: Joi.boolean().description('For rows without their own value'),
  bare_numbers: Joi.string()
    .valid(...BARE_NUMBERS)
    .description('How to read digits without `+` or a leading zero if they can mean two different numbers'),
};

export const ImportQuerySchema = Joi.object<ImportQuery>(IMPORT_FIELDS);

/** Fields of the upload form. They may come after the file. */
export const ImportForm = Joi.object<ImportQuery & { columns?: string }>({
  ...IMPORT_FIELDS,
  columns: Joi.string().description('JSON: `{<header>: <field>|attr.<key>|null}` assigns columns; null ignores a column'),
});

export type ImportCall = Call<unknown, ImportQuery, Upload>;

/** Values that are known only after the whole request has been read. */
export interface Said {
  readonly optIn: boolean;
  readonly bareNumbers: ImportQuery['bare_numbers'];
}

type TakeContacts<T> = (source: AsyncIterable<Uint8Array>, told: Told, said: () => Said) => Promise<T>;

export async function takeContacts<T>(
  services: BodyServices,
  { caller, body: upload, query }: ImportCall,
  take: TakeContacts<T>,
): Promise<T> {
  const { tenantId } = caller;
  const { attributes } = await labelIndexOf(services.labels, tenantId);
  return takeFile(upload, async ({ source, fields }) => {
    const told = { attributes, mapping: () => mappingIn(fields.get('columns')) };
    const said = (): Said => saidIn(query, fields);
    await using file = await begun(source);
    const kind = kindOf(file.start);
    if (kind === 'csv') return await take(file.all, told, said);
    const table = await services.importReader.table(tenantId, kind, (stage) => stage(limited(file.all)));
    try {
      return await take(table.text.bytes(), { ...told, isConverted: true, others: table.others }, said);
    } finally {
      await table.text.close();
    }
  });
}

/**
 * Reads a file's first bytes. Disposing the result closes the source, so that a rejected upload
 * still gets an error response.
 */
async function begun(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < START_BYTES) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  async function* all(): AsyncGenerator<Uint8Array, void, undefined> {
    if (start.length > 0) yield start;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { start, all: all(), [Symbol.asyncDispose]: async () => void (await chunks.return?.()) };
}

const START_BYTES = 64;

function saidIn(query: ImportQuery, fields: ReadonlyMap<string, string>): Said {
  const [optIn, bare] = [fields.get('opt_in'), fields.get('bare_numbers')];
  if (optIn !== undefined && optIn !== 'true' && optIn !== 'false') throw invalidField('opt_in', TRUE_OR_FALSE);
  const bareNumbers = BARE_NUMBERS.find((one) => one === bare);
  if (bare !== undefined && !bareNumbers) throw invalidField('bare_numbers', NATIONAL_OR_NOT);
  return { optIn: query.opt_in ?? optIn === 'true', bareNumbers: query.bare_numbers ?? bareNumbers };
}

const TARGETS: ReadonlySet<string> = new Set([
  ...['phone', 'lid', 'username', 'country', 'name', 'first_name', 'last_name', 'var1', 'var2', 'var3', 'var4', 'var5'],
  ...['group', 'tags', 'opt_in', 'opt_out', 'consent'],
]);

function mappingIn(text: string | undefined): Mapping {
  if (text === undefined || text === '') return new Map();
  const given = objectIn(text);
  if (!given) throw invalidField('columns', AN_OBJECT);
  return new Map(
    Object.entries(given).map(([header, as]) => {
      if (as === null) return [header, null] as const;
      if (isColumn(as)) return [header, as] as const;
      throw invalidField(`columns.${header.slice(0, 64)}`, NO_FIELD);
    }),
  );
}

const isColumn = (as: unknown): as is Exclude<ImportColumn, null> =>
  typeof as === 'string' && (TARGETS.has(as) || (as.startsWith('attr.') && ATTRIBUTE_KEY.test(as.slice('attr.'.length))));

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

const AN_OBJECT = {
  en: 'columns must be a JSON object that maps headers to fields',
  id: 'columns harus berupa objek JSON yang memetakan judul ke kolom',
};
const NO_FIELD = {
  en: 'must be null, attr.<key>, phone, lid, username, country, name, first_name, last_name, var1 to var5, group, tags, opt_in, opt_out or consent',
  id: 'harus null, attr.<kunci>, phone, lid, username, country, name, first_name, last_name, var1 sampai var5, group, tags, opt_in, opt_out atau consent',
};
const TRUE_OR_FALSE = { en: 'must be true or false', id: 'harus true atau false' };
const NATIONAL_OR_NOT = { en: 'must be national or international', id: 'harus national atau international' };

export async function* limited(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > MAX_IMPORT_BYTES) throw tooLarge(MAX_IMPORT_BYTES);
    yield chunk;
  }
}
