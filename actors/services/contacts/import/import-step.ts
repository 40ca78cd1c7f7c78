import { Refusal } from '../../../../runtime/errors.ts';
import { fairSlices } from '../../../../runtime/fair-slices.ts';
import { inChunks } from '../../../../runtime/in-chunks.ts';
import type { ContactPatch, ContactRow } from '../../../../store/contacts/contacts.ts';
import { type ImportFiles, piecesOf } from '../../../../store/contacts/import-files.ts';
import type { ImportJob, ImportTally, JobPatch } from '../../../../store/jobs/jobs.ts';
import type { NumberRules } from '../../../domain/numbers/read-number.ts';
import { isLid } from '../../../network/jid.ts';
import type { PersonRead } from '../../identities/person-reader.ts';
import { blankContact, type ContactDeps, labelWriterOf, MAX_ATTRIBUTES, MAX_TAGS, type NumberedContactDeps, touched } from '../contacts.ts';
import { attributesFor, groupIdFor, type LabelWriter, tagIdsFor } from '../labels.ts';
import type { ImportedContact, RowError, RowPerson } from './cells.ts';
import { type ContradictionDeps, withoutContradictions } from './contradictions.ts';
import { nextRows } from './next-rows.ts';
import type { ReadRows } from './read-rows.ts';
import { type ImportReader, ImportStopped } from './reader.ts';
import { faultOf, numbered, subjectsOf } from './row-numbers.ts';

/**
 * Imports a file of contacts in steps, one for each part of the file. Contacts carry the mark of
 * the part that created them. Invariant: if a step is repeated after a crash, it leads to the same
 * counts and contacts. The file's pieces are in store/contacts/import-files.ts; the position and
 * the counts are in the job.
 */

export interface ImportDeps extends NumberedContactDeps, Pick<ContradictionDeps, 'identities'> {
  readonly files: ImportFiles;
  readonly reader: Pick<ImportReader, 'rows'>;
  readPeople(tenantId: string, rules: NumberRules, texts: readonly string[]): Promise<readonly PersonRead[]>;
  /** Keeps consent expressed after `asked`. A repeated call returns the same `lifted`. */
  optIn(
    tenantId: string,
    phones: readonly string[],
    by: { readonly asked: number; readonly batch: string },
    now: number,
  ): Promise<{ readonly lifted: number; readonly kept: number }>;
  optOut(tenantId: string, phones: readonly string[], asked: number, now: number): Promise<void>;
}

export const NOTHING_IMPORTED: ImportTally = {
  ...{ total: 0, created: 0, updated: 0, invalid: 0, merged: 0 },
  ...{ opted_in: 0, opted_out: 0, opt_outs_lifted: 0, opt_outs_kept: 0 },
};

const BATCH_SIZE = 50;
const RESOLVED_BATCH_SIZE = 200;
const TRIES = 5;

interface Resolved {
  readonly phone: string;
  readonly patch: ContactPatch & { readonly tag_ids: readonly string[]; readonly attrs: Readonly<Record<string, string>> };
}

export async function importStep(deps: ImportDeps, job: ImportJob, now: number): Promise<JobPatch> {
  const { tenant_id, place, tally, file } = job;
  if (place.offset >= file.bytes) return ended(deps, job);
  const source = {
    ...{ bytes: file.bytes, form: file.form, optIn: file.optIn },
    read: (offset: number, length: number) => deps.files.read(job._id, offset, length),
  };
  const read = await nextRows(deps.reader, tenant_id, source, place).catch((cause) => {
    if (cause instanceof ImportStopped) return cause.reason;
    throw cause;
  });
  if (!('consumed' in read)) return stopped(deps, job, read);
  const labelWriter = await labelWriterOf(deps, tenant_id, now);
  const { contacts, faults, ...refused } = await withNumbers(deps, job, read);
  const standing = await deps.standing(tenant_id, [...contacts.map(({ phone }) => phone), ...refused.refusing]);
  const numberedRows = contacts.map((one) => ({ ...one, phone: standing.get(one.phone) ?? one.phone }));
  const { named, contradicting } = await withoutContradictions(deps, tenant_id, numberedRows);
  const refusing = new Set(refused.refusing.map((phone) => standing.get(phone) ?? phone));
  const { rows, errors } = await resolved(tenant_id, labelWriter, named);
  const mark = `${job._id}:${place.offset}`;
  const people = merged(rows.map(({ one }) => one));
  let [created, again] = [0, 0];
  const overfull = new Map<string, Overfull>();
  for (const some of inChunks(people, BATCH_SIZE)) {
    const done = await fairSlices.run(tenant_id, () => written(deps, tenant_id, some, mark, now));
    created += done.created;
    again += done.again;
    for (const [phone, field] of done.overfull) if (field) overfull.set(phone, field);
  }
  const taken = rows.filter(({ from }) => !overfull.has(from.phone));
  for (const { from } of rows) {
    const field = overfull.get(from.phone);
    if (field) errors.push({ row: from.row, field, error: TOO_MANY[field], code: 'too_many' });
  }
  for (const some of inChunks([...refusing], BATCH_SIZE))
    await fairSlices.run(tenant_id, () => deps.optOut(tenant_id, some, job.created_at, now));
  const agreed = [...new Set(taken.filter(({ from }) => from.optIn && !refusing.has(from.phone)).map(({ from }) => from.phone))];
  let [lifted, kept] = [0, 0];
  for (const some of inChunks(agreed, BATCH_SIZE)) {
    const done = await fairSlices.run(tenant_id, () => deps.optIn(tenant_id, some, { asked: job.created_at, batch: mark }, now));
    lifted += done.lifted;
    kept += done.kept;
  }
  const wrong = [...faults, ...contradicting, ...read.errors, ...errors].toSorted((one, other) => one.row - other.row);
  return {
    place: { offset: place.offset + read.consumed, line: read.line },
    tally: {
      total: tally.total + read.contacts.length + read.invalid,
      created: tally.created + created,
      updated: tally.updated + taken.length - created,
      invalid: tally.invalid + read.invalid + (read.contacts.length - named.length) + errors.length,
      opted_in: tally.opted_in + agreed.length - kept,
      opted_out: tally.opted_out + refused.refusals,
      opt_outs_lifted: tally.opt_outs_lifted + lifted,
      opt_outs_kept: tally.opt_outs_kept + kept,
      merged: tally.merged + rows.length - people.length + again,
    },
    errors: [...job.errors, ...wrong].slice(0, MAX_ERRORS),
  };
}

interface NumbersFrom {
  readonly tenant_id: string;
  readonly file: Pick<ImportJob['file'], 'callingCode' | 'bareNumbers'>;
}

interface WithNumbers {
  readonly contacts: readonly ImportedContact[];
  readonly faults: readonly RowError[];
  /** All addresses of people who opted out, including all possible readings of a number. */
  readonly refusing: readonly string[];
  readonly refusals: number;
}

/** If a number is ambiguous, an opt-out applies to every number that it could stand for. */
export async function withNumbers(deps: Pick<ImportDeps, 'readPeople'>, job: NumbersFrom, read: ReadRows): Promise<WithNumbers> {
  const reads = await numbersOf(deps, job, [...read.contacts, ...read.persons]);
  const rows = read.contacts.map((row) => numbered(row, reads.get(row) ?? []));
  const refusing = [...read.contacts, ...read.persons]
    .filter(({ optOut }) => optOut)
    .map((row) => [...subjectsOf(reads.get(row) ?? []), ...(row.lid === undefined ? [] : [row.lid])]);
  return {
    contacts: rows.flatMap((row) => ('phone' in row ? row : [])),
    faults: [
      ...rows.flatMap((row) => ('phone' in row ? [] : row)),
      ...read.persons.flatMap((row) => faultOf(row, reads.get(row) ?? []) ?? []),
    ],
    refusing: refusing.flat(),
    refusals: refusing.filter(({ length }) => length > 0).length,
  };
}

async function numbersOf(
  { readPeople }: Pick<ImportDeps, 'readPeople'>,
  { tenant_id, file }: NumbersFrom,
  rows: readonly RowPerson[],
): Promise<ReadonlyMap<RowPerson, readonly PersonRead[]>> {
  const reads = new Map<RowPerson, readonly PersonRead[]>();
  for (const [country, some] of Map.groupBy(rows, (row) => row.country)) {
    const rules = { callingCode: country === undefined ? file.callingCode : country, bare: file.bareNumbers };
    for (const part of inChunks(some, RESOLVED_BATCH_SIZE)) {
      await fairSlices.turn(tenant_id);
      const found = await readPeople(
        tenant_id,
        rules,
        part.flatMap(({ phones }) => phones),
      );
      let from = 0;
      for (const row of part) {
        reads.set(row, found.slice(from, from + row.phones.length));
        from += row.phones.length;
      }
    }
  }
  return reads;
}

async function stopped({ files }: ImportDeps, { _id, file, place, errors }: ImportJob, error: RowError['error']): Promise<JobPatch> {
  await files.remove(_id, piecesOf(file.bytes));
  return { status: 'failed', errors: [...errors, { row: place.line, field: 'file', error, code: 'file' }].slice(-MAX_ERRORS) };
}

/** Removes the file in a step of its own, so that the last rows are recorded before. */
async function ended({ files }: ImportDeps, { _id, file }: ImportJob): Promise<JobPatch> {
  await files.remove(_id, piecesOf(file.bytes));
  return { status: 'done' };
}

export const MAX_ERRORS = 1_000;

interface ResolvedRows {
  readonly rows: readonly { readonly from: ImportedContact; readonly one: Resolved }[];
  readonly errors: RowError[];
}

type Overfull = 'tags' | 'attrs';

const TOO_MANY: Readonly<Record<Overfull, RowError['error']>> = {
  tags: { en: `the contact would have more than ${MAX_TAGS} tags`, id: `kontak akan memiliki lebih dari ${MAX_TAGS} tag` },
  attrs: {
    en: `the contact would have more than ${MAX_ATTRIBUTES} attributes`,
    id: `kontak akan memiliki lebih dari ${MAX_ATTRIBUTES} atribut`,
  },
};

const NO_ROOM = { en: 'the limit of tags, groups or attributes is reached', id: 'batas tag, grup, atau atribut sudah tercapai' };

async function resolved(tenantId: string, labelWriter: LabelWriter, contacts: readonly ImportedContact[]): Promise<ResolvedRows> {
  const rows: { from: ImportedContact; one: Resolved }[] = [];
  const errors: RowError[] = [];
  for (const [nth, from] of contacts.entries()) {
    if (nth % RESOLVED_BATCH_SIZE === 0) await fairSlices.turn(tenantId);
    try {
      rows.push({ from, one: await resolve(labelWriter, from) });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      errors.push({ row: from.row, field: 'tags', error: NO_ROOM, code: 'no_room' });
    }
  }
  return { rows, errors };
}

async function resolve(
  labelWriter: LabelWriter,
  { phone, by, username, name, vars, group, tags, attrs }: ImportedContact,
): Promise<Resolved> {
  return {
    phone,
    patch: {
      // Ignore a username next to a number, because it may be an account name in another program.
      ...(by === 'lid' && isLid(phone) && username !== undefined && { username }),
      ...(name !== undefined && { name }),
      ...vars,
      ...(group !== undefined && { group_id: await groupIdFor(labelWriter, group) }),
      tag_ids: await tagIdsFor(labelWriter, tags),
      attrs: await attributesFor(labelWriter, attrs),
    },
  };
}

function merged(rows: readonly Resolved[]): readonly Resolved[] {
  const byPhone = new Map<string, Resolved>();
  for (const row of rows) {
    const before = byPhone.get(row.phone);
    byPhone.set(row.phone, before ? { phone: row.phone, patch: joined(before.patch, row.patch) } : row);
  }
  return [...byPhone.values()];
}

function joined<P extends Pick<Resolved['patch'], 'tag_ids' | 'attrs'>>(known: P, told: Resolved['patch']): P & Resolved['patch'] {
  return { ...known, ...told, tag_ids: [...new Set([...known.tag_ids, ...told.tag_ids])], attrs: { ...known.attrs, ...told.attrs } };
}

type Words = Pick<Resolved['patch'], 'tag_ids' | 'attrs'>;
const NO_WORDS: Words = { tag_ids: [], attrs: {} };

/** Returns the field over its limit. A contact already over the limit may keep its values. */
function overfullBy(before: Words, after: Words): Overfull | null {
  if (after.tag_ids.length > Math.max(MAX_TAGS, before.tag_ids.length)) return 'tags';
  const [most, count] = [Math.max(MAX_ATTRIBUTES, Object.keys(before.attrs).length), Object.keys(after.attrs).length];
  return count > most ? 'attrs' : null;
}

interface Written {
  readonly created: number;
  /** Number of contacts in this part that an earlier part of the same file created. */
  readonly again: number;
  readonly overfull: readonly (readonly [phone: string, field: Overfull | null])[];
}

const importOf = (mark: string): string => mark.slice(0, mark.indexOf(':') + 1);

async function written(
  { contacts }: ImportDeps,
  tenantId: string,
  people: readonly Resolved[],
  mark: string,
  now: number,
): Promise<Written> {
  const phones = people.map(({ phone }) => phone);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const known = new Map((await contacts.byPhones(tenantId, phones)).map((row) => [row.phone, row]));
    const fresh = people.filter(({ phone, patch }) => !known.has(phone) && overfullBy(NO_WORDS, patch) === null);
    const made = fresh.map(({ phone, patch }): ContactRow => ({ ...blankContact(tenantId, phone, now), ...patch, made_by: mark }));
    const isAllAdded = await contacts.addMany(made);
    const overfull = await Promise.all(
      people.map(async ({ phone, patch }) => {
        const row = known.get(phone);
        if (row?.made_by === mark) return [phone, null] as const;
        return [phone, row ? await changed(contacts, row, patch, now) : overfullBy(NO_WORDS, patch)] as const;
      }),
    );
    // Other requests created some of these contacts. Read them again, because the file may add data.
    if (!isAllAdded) continue;
    const makers = [...known.values()].map(({ made_by }) => made_by);
    const ofThisPart = makers.filter((maker) => maker === mark).length;
    const ofThisFile = makers.filter((maker) => maker?.startsWith(importOf(mark))).length;
    return { created: fresh.length + ofThisPart, again: ofThisFile - ofThisPart, overfull };
  }
  throw new Error('other requests kept creating the contacts of an import');
}

async function changed(
  contacts: ContactDeps['contacts'],
  row: ContactRow,
  patch: Resolved['patch'],
  now: number,
): Promise<Overfull | null> {
  for (let at: ContactRow | null = row; at; at = await contacts.find(at.tenant_id, at._id)) {
    const { tag_ids, attrs } = at;
    const after = joined({ tag_ids, attrs }, patch);
    const overfull = overfullBy(at, after);
    if (overfull || (await contacts.change(at, { ...after, ...touched(at, now) }))) return overfull;
  }
  return null;
}
