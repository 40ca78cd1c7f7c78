import type { Logger } from 'pino';
import { CLAIM_MS, keepClaim } from '../../../../runtime/claims.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { newId } from '../../../../runtime/ids.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { Sealer } from '../../../../runtime/sealing/seal.ts';
import type { AuditLog } from '../../../../store/audit/audit-log.ts';
import type { Contacts } from '../../../../store/contacts/contacts.ts';
import type { LabelLists } from '../../../../store/contacts/labels.ts';
import type { Identities } from '../../../../store/identities/identities.ts';
import type { MediaBytes, MediaPlace, MediaRow, MediaRows } from '../../../../store/media/media.ts';
import type { Doc, Filter } from '../../../../store/port.ts';
import type { Erasures } from '../../../../store/privacy/erasures.ts';
import type { ExportRow, Exports } from '../../../../store/privacy/exports.ts';
import { refusal } from '../../../domain/refusals.ts';
import { opened, type PersonDeps, personFinder } from '../person.ts';
import { takeTurns } from '../round-robin.ts';
import { type FileDeps, jsonOf, nameOf, partOf, putFile, putRecords, putText } from './files.ts';

import { describedFile, keysOf, type Section, type Source, sectionsOf, shownRow } from './sections.ts';

/**
 * Exports the data of a person or of a whole tenant in small steps. Progress is in
 * `privacy_exports`. Files are in `privacy_export_files` and in file storage. No export runs while
 * an erasure of the same tenant does. An export expires after 7 days.
 */

export interface ExportDeps extends PersonDeps {
  readonly exports: Exports;
  readonly erasures: Pick<Erasures, 'countOpen'>;
  readonly mediaRows: Pick<MediaRows, 'oldest' | 'byKeys'>;
  readonly bytes: Pick<MediaBytes, 'write' | 'read' | 'remove'>;
  readonly labels: LabelLists;
  readonly contacts: Pick<Contacts, 'each'>;
  readonly identities: Pick<Identities, 'addressesOf'>;
  readonly sealer: Sealer;
  readonly log: Pick<Logger, 'error'>;
  readonly auditLog: Pick<AuditLog, 'all'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly isStoreDown: (cause: unknown) => boolean;
  failed(cause: unknown): void;
}

export interface Exporting {
  begin(tenantId: string, phone: string | null, now: number): Promise<ExportRow>;
  continueAll(now: number): Promise<void>;
  progressOf(row: ExportRow): number;
  removeAll(tenantId: string): Promise<{ readonly removed: number; readonly isBusy: boolean }>;
}

const MAX_KEPT = 10;
const KEPT_MS = 7 * 86_400_000;
const MAX_FAILURES = 5;
const PARALLEL = 2;
const MESSAGES_A_STEP = 2_000;
const FILES_A_STEP = 20;
const REMEMBERED = 4;

/** Suffix of an ID. The result sorts after this ID, but before every greater one. */
const BEHIND = '~';

interface Made {
  readonly count: number;
  readonly next: string | null;
}

interface FilePlace {
  readonly nth: number;
  readonly after: MediaPlace | null;
}

interface MessagePlace {
  readonly nth: number;
  readonly device: string;
  readonly at: number;
  readonly id: string;
}

export function createExporting(deps: ExportDeps): Exporting {
  const { exports, erasures, mediaRows, bytes, sealer, collections } = deps;
  const about = (id: string): string => `export ${id}`;
  const files: FileDeps = deps;
  const findPerson = personFinder(deps);
  /** File keys by export, cached because finding them takes a pass over the whole message log. */
  const keysUnderWay = new RecentCache<ExportRow['_id'], readonly string[]>(REMEMBERED);

  async function sourceOf({ _id, tenant_id: tenantId, subject, created_at }: ExportRow): Promise<Source> {
    const phone = subject === undefined ? null : sealer.open(tenantId, about(_id), subject);
    const campaigns = await opened(collections, 'campaigns')
      .find({ tenant_id: tenantId }, { projection: { _id: 1 } })
      .toArray();
    return {
      tenantId,
      who: phone === null ? null : await findPerson(tenantId, phone, created_at),
      collections,
      labels: deps.labels,
      contacts: deps.contacts,
      identities: deps.identities,
      sealer,
      log: deps.log,
      auditLog: deps.auditLog,
      devices: [...(await deps.devices.everIds(tenantId))].sort(),
      campaigns: campaigns.map((row) => row._id),
    };
  }

  async function make(row: ExportRow, section: Section): Promise<Made> {
    const source = await sourceOf(row);
    if (section.kind === 'records') return { count: await putRecords(files, row, section, source), next: null };
    if (section.kind === 'messages') return makeMessages(row, source);
    return source.who ? makeTheirFiles(row, source) : makeFiles(row, source);
  }

  async function makeMessages(row: ExportRow, { devices }: Source): Promise<Made> {
    const from: MessagePlace = row.after === null ? { nth: 1, device: '', at: 0, id: '' } : JSON.parse(row.after);
    const device = devices.find((id) => id >= from.device);
    const slice = device === undefined ? [] : await messagesBehind(device, device === from.device ? from : { ...from, at: 0, id: '' });
    const isFile = slice.length > 0 || (device === undefined && from.nth === 1);
    if (isFile) await putText(files, row, nameOf('messages', from.nth, 'json'), jsonOf(slice.map(shownRow)));
    if (device === undefined) return { count: 0, next: null };
    const last = slice.length === MESSAGES_A_STEP ? slice.at(-1) : undefined;
    const place = last ? { device, at: Number(last['created_at']), id: last._id } : { device: `${device}${BEHIND}`, at: 0, id: '' };
    return { count: slice.length, next: JSON.stringify({ nth: from.nth + (isFile ? 1 : 0), ...place } satisfies MessagePlace) };
  }

  async function messagesBehind(session_id: string, { at, id }: MessagePlace) {
    const behind: Filter = { session_id, created_at: { $gte: at }, $or: [{ created_at: { $gt: at } }, { _id: { $gt: id } }] };
    const found = await opened(collections, 'messages')
      .find(behind, { sort: { created_at: 1, _id: 1 }, limit: MESSAGES_A_STEP })
      .toArray();
    return found.map((row): Doc & Readonly<Record<string, unknown>> => ({ ...row }));
  }

  async function makeFiles(row: ExportRow, { tenantId }: Source): Promise<Made> {
    const from: FilePlace = row.after === null ? { nth: 1, after: null } : JSON.parse(row.after);
    const found = await mediaRows.oldest(tenantId, from.after, FILES_A_STEP);
    await putAll(row, found, from.nth);
    const last = found.length === FILES_A_STEP ? found.at(-1) : undefined;
    if (!last) return { count: found.length, next: null };
    const after = { _id: last._id, created_at: last.created_at };
    return { count: found.length, next: JSON.stringify({ nth: from.nth + 1, after } satisfies FilePlace) };
  }

  async function makeTheirFiles(row: ExportRow, source: Source): Promise<Made> {
    const [nth, after] = row.after?.split(' ') ?? ['1', ''];
    const all = keysUnderWay.get(row._id) ?? (await keysOf(source));
    keysUnderWay.set(row._id, all);
    const keys = all.filter((key) => key > (after ?? '')).slice(0, FILES_A_STEP);
    const found = keys.length === 0 ? [] : await mediaRows.byKeys(source.tenantId, keys);
    await putAll(row, found, Number(nth));
    if (keys.length === FILES_A_STEP) return { count: found.length, next: `${Number(nth) + 1} ${keys.at(-1)}` };
    keysUnderWay.delete(row._id);
    return { count: found.length, next: null };
  }

  /** If the bytes of a file no longer exist, only its description is written. */
  async function putAll(row: ExportRow, found: readonly MediaRow[], nth: number): Promise<void> {
    for (const one of found) {
      const stream = await bytes.read(one.tenant_id, one.blob);
      if (stream) await putFile(files, row, `media/${one._id}`, stream);
    }
    if (found.length > 0 || nth === 1) await putText(files, row, nameOf('media', nth, 'json'), jsonOf(found.map(describedFile)));
  }

  async function goOn(row: ExportRow, endClaim: () => Promise<ExportRow>, now: number): Promise<void> {
    if ((await erasures.countOpen(row.tenant_id, 1)) > 0) return exports.release(await endClaim(), now + 1, false);
    const section = sectionsOf(row.of)[row.step];
    if (!section) return exports.finish(await endClaim(), 'done', now, now + KEPT_MS);
    // An earlier attempt that failed may have written more files, so remove all of them first.
    await removeFiles(row, partOf(row));
    const { count, next } = await make(row, section);
    const counts = { ...row.counts, [section.name]: (row.counts[section.name] ?? 0) + count };
    await exports.advance(await endClaim(), { step: next === null ? row.step + 1 : row.step, after: next, counts }, now);
  }

  async function step(tenantId: string, now: number): Promise<boolean> {
    const row = await exports.claim(tenantId, now, Math.max(now, deps.clock.now()) + CLAIM_MS);
    if (!row) return false;
    const endClaim = keepClaim({ clock: deps.clock, renew: exports.renew }, row);
    try {
      await goOn(row, endClaim, now);
    } catch (cause) {
      deps.failed(cause);
      const claimed = await endClaim();
      const isFailure = !deps.isStoreDown(cause);
      if (isFailure && row.failures + 1 >= MAX_FAILURES) await exports.finish(claimed, 'failed', now, now + KEPT_MS);
      else await exports.release(claimed, now + 1, isFailure);
    }
    // The export was dismissed during this step, so remove the files that this step has written.
    if (!(await exports.find(row.tenant_id, row._id))) await clear(row);
    return true;
  }

  /** Removes bytes first, because after a crash, the rows still lead to the remaining bytes. */
  async function removeFiles({ _id }: Pick<ExportRow, '_id'>, part?: string): Promise<void> {
    for (const file of await exports.files(_id, part)) {
      await bytes.remove(file.tenant_id, file.blob);
      await exports.removeFile(file);
    }
  }

  async function clear(row: ExportRow): Promise<void> {
    await removeFiles(row);
    await exports.remove(row);
  }

  /** Returns false if a process may still be writing the export, which is then removed later. */
  async function remove(row: ExportRow, now: number): Promise<boolean> {
    const dismissed = await exports.dismiss(row, now);
    if (!dismissed) return true;
    const isBusy = dismissed.claimed_until > now;
    if (isBusy) await removeFiles(row);
    else await clear(row);
    return !isBusy;
  }

  const turns = takeTurns(step, PARALLEL, deps.failed);

  return {
    async begin(tenantId, phone, now) {
      const _id = newId(now);
      const row: ExportRow = {
        _id,
        tenant_id: tenantId,
        of: phone === null ? 'tenant' : 'person',
        ...(phone !== null && { subject: sealer.seal(tenantId, about(_id), phone) }),
        status: 'queued',
        open: true,
        step: 0,
        after: null,
        failures: 0,
        claimed_until: 0,
        counts: {},
        created_at: now,
        done_at: null,
        expires_at: null,
      };
      if (!(await exports.createWithin(row, MAX_KEPT))) throw refusal('LIMIT_REACHED');
      return row;
    },

    async continueAll(now) {
      for (const row of await exports.expired(now, 100)) await remove(row, now);
      await turns.run(await exports.waiting(now), now);
    },

    progressOf: ({ status, step: done, of }) => (status === 'done' ? 1 : Math.round((100 * done) / (sectionsOf(of).length + 1)) / 100),

    async removeAll(tenantId) {
      let [removed, isBusy] = [0, false];
      for (const row of await exports.all(tenantId))
        if (await remove(row, deps.clock.now())) removed += 1;
        else isBusy = true;
      return { removed, isBusy };
    },
  };
}
