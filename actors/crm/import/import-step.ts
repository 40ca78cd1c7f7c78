import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal } from '../../../runtime/errors.ts';
import type { ChorePatch, ImportChore } from '../../../store/chores.ts';
import type { ContactPatch, ContactRow } from '../../../store/contacts.ts';
import { type ImportFiles, PIECE_BYTES } from '../../../store/import-files.ts';
import { blankContact, type CrmPorts, scribeOf } from '../contacts.ts';
import { attributesFor, groupIdFor, type Scribe, tagIdsFor } from '../vocabulary.ts';
import type { ImportedContact, RowError } from './cells.ts';
import type { ImportReader } from './reader.ts';

export interface ImportPorts extends CrmPorts {
  readonly files: ImportFiles;
  readonly reader: Pick<ImportReader, 'rows'>;
  /** Records that these people agreed, source import; what they said since `asked` stays, so that doing it again changes nothing. */
  optIn(tenantId: string, phones: readonly string[], asked: number, now: number): Promise<void>;
}

/** Rows that are written together: a write of more would be felt by others. */
const AT_ONCE = 50;
const RESOLVED_AT_ONCE = 200;
const TRIES = 5;

/** A row whose words have ids. */
interface Resolved {
  readonly phone: string;
  readonly patch: ContactPatch & { readonly tag_ids: readonly string[]; readonly attrs: Readonly<Record<string, string>> };
}

/** Imports the next part of the file. Done again after a crash it counts and writes the same, and leaves alone what was changed since. */
export async function importStep(ports: ImportPorts, chore: ImportChore, now: number): Promise<ChorePatch> {
  const { tenant_id, place, tally, file } = chore;
  if (place.offset >= file.bytes) return ended(ports, chore);
  const bytes = await ports.files.read(chore._id, place.offset);
  const isLast = place.offset + bytes.length >= file.bytes;
  const { form, callingCode, optIn } = file;
  const read = await ports.reader.rows({ bytes, isLast, form, line: place.line, callingCode, optIn });
  const scribe = await scribeOf(ports, tenant_id, now);
  const { rows, errors } = await resolved(scribe, read.contacts);
  const mark = `${chore._id}:${place.offset}`;
  const people = merged(rows.map(({ one }) => one));
  let created = 0;
  for (let at = 0; at < people.length; at += AT_ONCE) created += await written(ports, tenant_id, people.slice(at, at + AT_ONCE), mark, now);
  const agreed = [...new Set(rows.filter(({ from }) => from.optIn).map(({ from }) => from.phone))];
  for (let at = 0; at < agreed.length; at += AT_ONCE) await ports.optIn(tenant_id, agreed.slice(at, at + AT_ONCE), chore.created_at, now);
  const wrong = [...read.errors, ...errors];
  return {
    place: { offset: place.offset + read.consumed, line: read.line },
    tally: {
      total: tally.total + read.contacts.length + read.invalid,
      created: tally.created + created,
      updated: tally.updated + rows.length - created,
      invalid: tally.invalid + read.invalid + errors.length,
      opted_in: tally.opted_in + agreed.length,
    },
    errors: [...chore.errors, ...wrong].slice(0, MOST_ERRORS),
  };
}

/** A step of its own: were the file gone before its last rows are recorded, a crash in between would leave nothing to do them again from. */
async function ended({ files }: ImportPorts, { _id, file }: ImportChore): Promise<ChorePatch> {
  await files.remove(_id, Math.ceil(file.bytes / PIECE_BYTES));
  return { status: 'done' };
}

/** Errors that an import lists; more are only counted. */
export const MOST_ERRORS = 1_000;

interface ResolvedRows {
  readonly rows: readonly { readonly from: ImportedContact; readonly one: Resolved }[];
  /** Of rows for whose words there is no room. */
  readonly errors: readonly RowError[];
}

async function resolved(scribe: Scribe, contacts: readonly ImportedContact[]): Promise<ResolvedRows> {
  const rows: { from: ImportedContact; one: Resolved }[] = [];
  const errors: RowError[] = [];
  for (const [nth, from] of contacts.entries()) {
    if (nth % RESOLVED_AT_ONCE === 0) await nextTurn();
    try {
      rows.push({ from, one: await resolve(scribe, from) });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      errors.push({ row: from.row, field: 'tags', error: 'no room for another tag, group or attribute' });
    }
  }
  return { rows, errors };
}

async function resolve(scribe: Scribe, { phone, name, vars, group, tags, attrs }: ImportedContact): Promise<Resolved> {
  return {
    phone,
    patch: {
      ...(name !== undefined && { name }),
      ...vars,
      ...(group !== undefined && { group_id: await groupIdFor(scribe, group) }),
      tag_ids: await tagIdsFor(scribe, tags),
      attrs: await attributesFor(scribe, attrs),
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

/** What is told of somebody is added to what is known: tags and attributes stay. */
function joined<P extends Pick<Resolved['patch'], 'tag_ids' | 'attrs'>>(known: P, told: Resolved['patch']): P & Resolved['patch'] {
  return { ...known, ...told, tag_ids: [...new Set([...known.tag_ids, ...told.tag_ids])], attrs: { ...known.attrs, ...told.attrs } };
}

/** Writes them; gives how many are new. */
async function written(
  { contacts }: ImportPorts,
  tenantId: string,
  people: readonly Resolved[],
  mark: string,
  now: number,
): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const known = new Map(
      (
        await contacts.byPhones(
          tenantId,
          people.map(({ phone }) => phone),
        )
      ).map((row) => [row.phone, row]),
    );
    const fresh = people.filter(({ phone }) => !known.has(phone));
    const made = fresh.map(({ phone, patch }): ContactRow => ({ ...blankContact(tenantId, phone, now), ...patch, made_by: mark }));
    const isAllAdded = await contacts.addMany(made);
    const changes = people.flatMap((one) => {
      const row = known.get(one.phone);
      return row && row.made_by !== mark ? [changed(contacts, row, one.patch, now)] : [];
    });
    await Promise.all(changes);
    // Of one that somebody else made meanwhile the row tells more: all of them are looked at again.
    if (isAllAdded) return fresh.length + [...known.values()].filter(({ made_by }) => made_by === mark).length;
  }
  throw new Error('contacts were made faster than they could be imported');
}

async function changed(contacts: CrmPorts['contacts'], row: ContactRow, patch: Resolved['patch'], now: number): Promise<void> {
  for (let at: ContactRow | null = row; at; at = await contacts.find(at.tenant_id, at._id)) {
    const { tag_ids, attrs } = at;
    if (await contacts.change(at, { ...joined({ tag_ids, attrs }, patch), updated_at: now })) return;
  }
}
