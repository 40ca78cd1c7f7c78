import { Refusal } from '../../../../runtime/errors.ts';
import { fairSlices } from '../../../../runtime/fair-slices.ts';
import { inChunks } from '../../../../runtime/in-chunks.ts';
import type { ContactPatch, ContactRow } from '../../../../store/contacts/contacts.ts';
import { type ImportFiles, piecesOf } from '../../../../store/contacts/import-files.ts';
import type { ImportJob, ImportTally, JobPatch } from '../../../../store/jobs/jobs.ts';
import { blankContact, type ContactDeps, labelWriterOf, MAX_ATTRIBUTES, MAX_TAGS, type NumberedContactDeps, touched } from '../contacts.ts';
import { attributesFor, groupIdFor, type LabelWriter, tagIdsFor } from '../labels.ts';
import type { ImportedContact, RowError } from './cells.ts';
import { nextRows } from './next-rows.ts';
import { type ImportReader, ImportStopped } from './reader.ts';

export interface ImportDeps extends NumberedContactDeps {
  readonly files: ImportFiles;
  readonly reader: Pick<ImportReader, 'rows'>;
  /**
   * Records that these people agreed, with source import; anything they expressed since `asked` stays, so that a repetition changes nothing.
   * Returns how many opt-outs this batch lifted, now or the first time, and how many of the people are opted out nevertheless.
   */
  optIn(
    tenantId: string,
    phones: readonly string[],
    by: { readonly asked: number; readonly batch: string },
    now: number,
  ): Promise<{ readonly lifted: number; readonly kept: number }>;
  /** Records that these people refused, with source import; what they expressed since `asked` stays. */
  optOut(tenantId: string, phones: readonly string[], asked: number, now: number): Promise<void>;
}

/** The figures of an import that has not begun. */
export const NOTHING_IMPORTED: ImportTally = {
  ...{ total: 0, created: 0, updated: 0, invalid: 0, merged: 0 },
  ...{ opted_in: 0, opted_out: 0, opt_outs_lifted: 0, opt_outs_kept: 0 },
};

/** Rows that are written together: a write of more would be felt by others. */
const BATCH_SIZE = 50;
const RESOLVED_BATCH_SIZE = 200;
const TRIES = 5;

/** A row whose words have ids. */
interface Resolved {
  readonly phone: string;
  readonly patch: ContactPatch & { readonly tag_ids: readonly string[]; readonly attrs: Readonly<Record<string, string>> };
}

/** Imports the next part of the file. Repeated after a crash it counts and writes the same, and leaves later changes alone. */
export async function importStep(deps: ImportDeps, job: ImportJob, now: number): Promise<JobPatch> {
  const { tenant_id, place, tally, file } = job;
  if (place.offset >= file.bytes) return ended(deps, job);
  const read = await nextRows(deps, job).catch((cause) => {
    if (cause instanceof ImportStopped) return cause.reason;
    throw cause;
  });
  if (!('consumed' in read)) return stopped(deps, job, read);
  const labelWriter = await labelWriterOf(deps, tenant_id, now);
  const standing = await deps.standing(
    tenant_id,
    read.contacts.map(({ phone }) => phone),
  );
  const named = read.contacts.map((one) => ({ ...one, phone: standing.get(one.phone) ?? one.phone }));
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
    if (field) errors.push({ row: from.row, field, error: TOO_MANY[field] });
  }
  const refused = new Set(rows.filter(({ from }) => from.optOut).map(({ from }) => from.phone));
  for (const some of inChunks([...refused], BATCH_SIZE))
    await fairSlices.run(tenant_id, () => deps.optOut(tenant_id, some, job.created_at, now));
  const agreed = [...new Set(taken.filter(({ from }) => from.optIn && !refused.has(from.phone)).map(({ from }) => from.phone))];
  let [lifted, kept] = [0, 0];
  for (const some of inChunks(agreed, BATCH_SIZE)) {
    const done = await fairSlices.run(tenant_id, () => deps.optIn(tenant_id, some, { asked: job.created_at, batch: mark }, now));
    lifted += done.lifted;
    kept += done.kept;
  }
  const wrong = [...read.errors, ...errors];
  return {
    place: { offset: place.offset + read.consumed, line: read.line },
    tally: {
      total: tally.total + read.contacts.length + read.invalid,
      created: tally.created + created,
      updated: tally.updated + taken.length - created,
      invalid: tally.invalid + read.invalid + errors.length,
      opted_in: tally.opted_in + agreed.length - kept,
      opted_out: tally.opted_out + rows.filter(({ from }) => from.optOut).length,
      opt_outs_lifted: tally.opt_outs_lifted + lifted,
      opt_outs_kept: tally.opt_outs_kept + kept,
      merged: tally.merged + rows.length - people.length + again,
    },
    errors: [...job.errors, ...wrong].slice(0, MAX_ERRORS),
  };
}

/** It would end its reader again, or has used the processor time of an hour: what is imported stays. */
async function stopped({ files }: ImportDeps, { _id, file, place, errors }: ImportJob, error: RowError['error']): Promise<JobPatch> {
  await files.remove(_id, piecesOf(file.bytes));
  return { status: 'failed', errors: [...errors, { row: place.line, field: 'file', error }].slice(-MAX_ERRORS) };
}

/** A step of its own: were the file gone before its last rows are recorded, a crash in between would leave nothing to do them again from. */
async function ended({ files }: ImportDeps, { _id, file }: ImportJob): Promise<JobPatch> {
  await files.remove(_id, piecesOf(file.bytes));
  return { status: 'done' };
}

/** Errors that an import lists; more are only counted. */
export const MAX_ERRORS = 1_000;

interface ResolvedRows {
  readonly rows: readonly { readonly from: ImportedContact; readonly one: Resolved }[];
  /** Of rows for whose words there is no room. */
  readonly errors: RowError[];
}

/** The field of which a contact would have more than it may. */
type Overfull = 'tags' | 'attrs';

const TOO_MANY: Readonly<Record<Overfull, RowError['error']>> = {
  tags: { en: `the contact would have more than ${MAX_TAGS} tags`, id: `kontak akan memiliki lebih dari ${MAX_TAGS} tag` },
  attrs: {
    en: `the contact would have more than ${MAX_ATTRIBUTES} attributes`,
    id: `kontak akan memiliki lebih dari ${MAX_ATTRIBUTES} atribut`,
  },
};

const NO_ROOM = { en: 'no room for another tag, group or attribute', id: 'tidak ada tempat untuk tag, grup, atau atribut baru' };

async function resolved(tenantId: string, labelWriter: LabelWriter, contacts: readonly ImportedContact[]): Promise<ResolvedRows> {
  const rows: { from: ImportedContact; one: Resolved }[] = [];
  const errors: RowError[] = [];
  for (const [nth, from] of contacts.entries()) {
    if (nth % RESOLVED_BATCH_SIZE === 0) await fairSlices.turn(tenantId);
    try {
      rows.push({ from, one: await resolve(labelWriter, from) });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      errors.push({ row: from.row, field: 'tags', error: NO_ROOM });
    }
  }
  return { rows, errors };
}

async function resolve(labelWriter: LabelWriter, { phone, name, vars, group, tags, attrs }: ImportedContact): Promise<Resolved> {
  return {
    phone,
    patch: {
      ...(name !== undefined && { name }),
      ...vars,
      ...(group !== undefined && { group_id: await groupIdFor(labelWriter, group) }),
      tag_ids: await tagIdsFor(labelWriter, tags),
      attrs: await attributesFor(labelWriter, attrs),
    },
  };
}

/** One for each phone: of several rows the later ones say more. */
function merged(rows: readonly Resolved[]): readonly Resolved[] {
  const byPhone = new Map<string, Resolved>();
  for (const row of rows) {
    const before = byPhone.get(row.phone);
    byPhone.set(row.phone, before ? { phone: row.phone, patch: joined(before.patch, row.patch) } : row);
  }
  return [...byPhone.values()];
}

/** Adds the row's data to the known data: tags and attributes stay. */
function joined<P extends Pick<Resolved['patch'], 'tag_ids' | 'attrs'>>(known: P, told: Resolved['patch']): P & Resolved['patch'] {
  return { ...known, ...told, tag_ids: [...new Set([...known.tag_ids, ...told.tag_ids])], attrs: { ...known.attrs, ...told.attrs } };
}

type Words = Pick<Resolved['patch'], 'tag_ids' | 'attrs'>;
const NO_WORDS: Words = { tag_ids: [], attrs: {} };

/** null: all of it fits. Whoever has too many already may keep them. */
function overfullBy(before: Words, after: Words): Overfull | null {
  if (after.tag_ids.length > Math.max(MAX_TAGS, before.tag_ids.length)) return 'tags';
  const [most, count] = [Math.max(MAX_ATTRIBUTES, Object.keys(before.attrs).length), Object.keys(after.attrs).length];
  return count > most ? 'attrs' : null;
}

/** What became of some of the people. */
interface Written {
  readonly created: number;
  /** How many an earlier part of the file had created. */
  readonly again: number;
  /** By phone; those that would have too much were not written. */
  readonly overfull: readonly (readonly [phone: string, field: Overfull | null])[];
}

/** How the names of all parts of an import begin. */
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
    // Contacts that were created meanwhile: the row has more data, so all of them are read again.
    if (!isAllAdded) continue;
    const makers = [...known.values()].map(({ made_by }) => made_by);
    const ofThisPart = makers.filter((maker) => maker === mark).length;
    const ofThisFile = makers.filter((maker) => maker?.startsWith(importOf(mark))).length;
    return { created: fresh.length + ofThisPart, again: ofThisFile - ofThisPart, overfull };
  }
  throw new Error('contacts were made faster than they could be imported');
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
