import assert from 'node:assert/strict';
import { openNumber } from '../../../../actors/domain/numbers/read-number.ts';
import { newJob } from '../../../../actors/services/contacts/bulk-jobs.ts';
import type { ImportedContact, RowError } from '../../../../actors/services/contacts/import/cells.ts';
import type { Told } from '../../../../actors/services/contacts/import/head.ts';
import { type ImportDeps, NOTHING_IMPORTED, withNumbers } from '../../../../actors/services/contacts/import/import-step.ts';
import { type StoredFile, storeCsv } from '../../../../actors/services/contacts/import/intake.ts';
import { nextRows } from '../../../../actors/services/contacts/import/next-rows.ts';
import { type FilePart, readRows } from '../../../../actors/services/contacts/import/read-rows.ts';
import type { ImportFiles } from '../../../../store/contacts/import-files.ts';

/** Reads numbers by their form alone: nobody is known. */
export const byForm: ImportDeps['readPeople'] = async (_tenantId, rules, texts) =>
  texts.map((text) => {
    const read = openNumber(text, rules).decide(new Set());
    return read.kind === 'number' ? { kind: 'person', subject: read.digits } : read;
  });

export interface Read extends Pick<StoredFile, 'ignored' | 'decisions' | 'form'> {
  readonly contacts: readonly ImportedContact[];
  readonly errors: readonly RowError[];
  /** Numbers of people who refused. */
  readonly refusing: readonly string[];
  readonly parts: number;
}

/** Files in memory. */
export function shelf(): ImportFiles & { whole(): Buffer } {
  const pieces: Buffer[] = [];
  const whole = () => Buffer.concat(pieces);
  return {
    whole,
    async write(_tenant, _id, number, bytes) {
      pieces[number] = Buffer.from(bytes);
    },
    read: async (_id, offset, bytes) => whole().subarray(offset, offset + bytes),
    async remove() {},
    removeWritten: async () => 0,
    count: async () => 0,
  };
}

/** Stores and reads a file as an import does, part by part. */
export async function readFile(file: Buffer | string, told: Told, callingCode = '62'): Promise<Read> {
  const files = shelf();
  async function* bytes() {
    const whole = Buffer.from(file as string);
    // In odd bites, as they come over a wire.
    for (let at = 0; at < whole.length; at += 4_099) yield whole.subarray(at, at + 4_099);
  }
  const { id, offset, line, ...stored } = await storeCsv(files, 't', bytes(), told, 0);
  const form = { ...stored, callingCode, optIn: false };
  let job = newJob('t', { kind: 'import', file: form, place: { offset, line }, tally: NOTHING_IMPORTED, errors: [] }, 0, id);
  const deps = { files, reader: { rows: async (_tenantId: string, part: FilePart) => readRows(part) }, readPeople: byForm };
  const contacts: ImportedContact[] = [];
  const errors: RowError[] = [];
  const refusing: string[] = [];
  for (let parts = 1; ; parts += 1) {
    assert.ok(job.kind === 'import');
    const source = {
      bytes: stored.bytes,
      form: stored.form,
      optIn: false,
      read: (from: number, length: number) => files.read(id, from, length),
    };
    const rows = await nextRows(deps.reader, 't', source, job.place);
    const read = await withNumbers(deps, job, rows);
    contacts.push(...read.contacts);
    errors.push(...rows.errors, ...read.faults);
    refusing.push(...read.refusing);
    assert.ok(rows.consumed > 0);
    job = { ...job, place: { offset: job.place.offset + rows.consumed, line: rows.line } };
    if (job.place.offset >= stored.bytes) return { contacts, errors, refusing, parts, ...stored };
  }
}
