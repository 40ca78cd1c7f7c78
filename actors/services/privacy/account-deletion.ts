import { CLAIM_MS, keepClaim } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import { OPERATOR_LOG } from '../../../store/audit/entry.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { MediaBytes } from '../../../store/media/media.ts';
import type { Doc } from '../../../store/port.ts';
import { clearBelongings, OWNED_COLLECTIONS, type TenantScope, withScope } from '../../../store/privacy/belongings.ts';
import type { DeletionRow, Deletions } from '../../../store/privacy/deletions.ts';
import type { Holds } from '../../../store/privacy/holds.ts';
import { refusal } from '../../domain/refusals.ts';
import { type AuditTrail, systemDraft } from '../audit/audit-trail.ts';
import type { MediaLibrary } from '../media/library.ts';
import { heldUntil } from './held-until.ts';
import { type Collections, opened } from './person.ts';
import { takeTurns } from './round-robin.ts';

/**
 * Deletes a tenant with all of its data. The request is stored in `account_deletions`, and can be
 * cancelled for 30 minutes. The deletion is repeated until it finds no more data, because late
 * writes may arrive between two passes. A legal hold postpones the deletion.
 */

export interface DeletionDeps {
  readonly deletions: Deletions;
  readonly holds: Pick<Holds, 'any'>;
  readonly tenants: Pick<Tenants, 'find' | 'govern' | 'remove'>;
  readonly devices: Pick<Devices, 'list' | 'everIds'>;
  readonly bytes: Pick<MediaBytes, 'remove'>;
  readonly media: Pick<MediaLibrary, 'closeAddresses'>;
  readonly auditLog: Pick<AuditLog, 'removeAll' | 'forget'>;
  readonly audit: Pick<AuditTrail, 'record'>;
  readonly collections: Collections;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  logOut(device: DeviceRow): Promise<unknown>;
  removeDevice(device: DeviceRow): Promise<unknown>;
  removeExports(tenantId: string): Promise<{ readonly removed: number }>;
  invalidate(tenantId: string): void;
  failed(cause: unknown): void;
}

export interface AccountDeletion {
  /** Resolves when access has ended. Fails with CONFLICT while a legal hold is active. */
  begin(tenantId: string, now: number): Promise<DeletionRow>;
  find(tenantId: string): Promise<DeletionRow | null>;
  withdraw(tenantId: string, now: number): Promise<void>;
  continueAll(now: number): Promise<void>;
}

const GRACE_MS = 30 * 60_000;
/** Time between two passes. Meanwhile, actors store their pending writes. */
const PASS_MS = 60_000;
const HELD_MS = 3_600_000;
const PARALLEL = 1;

export function createAccountDeletion(deps: DeletionDeps): AccountDeletion {
  const { deletions, holds, collections } = deps;

  /** Logins created after `until` stay valid. During a deletion, no API key can be created. */
  async function endAccess(tenant_id: string, until: number, now: number): Promise<void> {
    const live = { tenant_id, revoked_at: null };
    await opened(collections, 'logins').updateMany({ ...live, created_at: { $lte: until } }, { $set: { revoked_at: now } });
    await opened(collections, 'api_keys').updateMany(live, { $set: { revoked_at: now, primary: false }, $unset: { place: 1 } });
    deps.invalidate(tenant_id);
  }

  async function goOn(row: DeletionRow, now: number): Promise<void> {
    const { _id: tenantId } = row;
    if (!row.ended) {
      // If the owner has signed in again to cancel the deletion, that login is kept.
      await endAccess(tenantId, row.requested_at, now);
      for (const device of await deps.devices.list(tenantId, null)) await deps.logOut(device);
      return deletions.release(row, { ended: true }, row.effective_at);
    }
    if (await holds.any(tenantId, now)) return deletions.release(row, {}, now + HELD_MS);
    // The scope of earlier passes helps to find late writes of rows that were already deleted.
    const scope = withScope(await scopeOf(tenantId), row.scope);
    if (!(await deletions.start(row, scope))) return;
    const endClaim = keepClaim({ clock: deps.clock, renew: deletions.renew }, row);
    await remove(row, scope, endClaim, now).finally(endClaim);
  }

  async function remove(row: DeletionRow, scope: TenantScope, endClaim: () => Promise<DeletionRow>, now: number): Promise<void> {
    const { _id: tenantId } = row;
    const removed = await purge(scope, now);
    const counts = { ...row.counts };
    for (const [name, count] of Object.entries(removed)) counts[name] = (counts[name] ?? 0) + count;
    if (Object.keys(removed).length > 0) return deletions.release(await endClaim(), { counts }, now + PASS_MS);
    await deps.tenants.remove(tenantId);
    await deps.auditLog.forget(tenantId);
    // The entry's ID is the tenant's, so that a second write after a crash adds no second entry.
    await deps.audit.record({ ...systemDraft(OPERATOR_LOG, 'account.deleted', { kind: 'tenant', id: tenantId }, now), id: tenantId });
    await deletions.finish(await endClaim(), now);
  }

  async function purge(scope: TenantScope, now: number): Promise<Record<string, number>> {
    const { tenantId } = scope;
    await deps.tenants.govern(tenantId, { suspended: true }, now);
    await endAccess(tenantId, now, now);
    for (const device of await deps.devices.list(tenantId, null)) await deps.removeDevice(device);
    const removed: Record<string, number> = { promised_uploads: await deps.media.closeAddresses(tenantId) };
    await removeBytes(tenantId);
    removed['privacy_exports'] = (await deps.removeExports(tenantId)).removed;
    for (const name of OWNED_COLLECTIONS)
      removed[name] = (removed[name] ?? 0) + (await clearBelongings(opened(collections, name), name, scope));
    removed['audit'] = await deps.auditLog.removeAll(tenantId);
    return Object.fromEntries(Object.entries(removed).filter(([, count]) => count > 0));
  }

  async function removeBytes(tenant_id: string): Promise<void> {
    for (const name of ['media', 'derived_files', 'ai_documents', 'privacy_export_files'])
      for await (const row of opened(collections, name).find({ tenant_id }))
        if ('blob' in row && typeof row.blob === 'string') await deps.bytes.remove(tenant_id, row.blob);
  }

  async function scopeOf(tenantId: string): Promise<TenantScope> {
    const idsIn = async (name: string): Promise<readonly string[]> => {
      const rows = await opened(collections, name)
        .find({ tenant_id: tenantId }, { projection: { _id: 1 } })
        .toArray();
      return rows.map(({ _id }) => _id);
    };
    const [sessions, rotators, campaigns, links, documents] = await Promise.all([
      deps.devices.everIds(tenantId),
      idsIn('rotators'),
      idsIn('campaigns'),
      idsIn('store_links'),
      idsIn('ai_documents'),
    ]);
    const books = await opened(collections, 'auto_replies')
      .find({ _id: { $in: sessions } })
      .toArray();
    return { tenantId, sessions, rotators, campaigns, links, documents, counted: [...sessions, ...books.flatMap(ruleIds)] };
  }

  async function step(tenantId: string, now: number): Promise<boolean> {
    const row = await deletions.claim(tenantId, now, Math.max(now, deps.clock.now()) + CLAIM_MS);
    if (row) await goOn(row, now);
    return false;
  }

  const turns = takeTurns(step, PARALLEL, deps.failed);

  return {
    find: deletions.find,

    async begin(tenantId, now) {
      const hold = await holds.any(tenantId, now);
      if (hold) throw refusal('CONFLICT', { reason: heldUntil(hold) });
      const times = { requested_at: now, effective_at: now + GRACE_MS, claimed_until: 0, done_at: null };
      const row = await deletions.add({ _id: tenantId, open: true, ended: false, begun: false, counts: {}, ...times });
      await endAccess(tenantId, row.requested_at, now);
      return row;
    },

    async withdraw(tenantId, now) {
      if (!(await deletions.withdraw(tenantId, now))) throw refusal('NOT_FOUND');
      deps.invalidate(tenantId);
    },

    continueAll: async (now) => turns.run(await deletions.waiting(now), now),
  };
}

const ruleIds = (book: Doc): readonly string[] =>
  'rules' in book && Array.isArray(book.rules) ? book.rules.map(({ id }) => String(id)) : [];
