import { createFormsOf } from '../../../../actors/services/identities/forms.ts';
import { createAccountDeletion } from '../../../../actors/services/privacy/account-deletion.ts';
import { createExporting } from '../../../../actors/services/privacy/export/exporting.ts';
import { createRetaining } from '../../../../actors/services/privacy/retention/retention.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { tenantsIn } from '../../../../store/accounts/tenants.ts';
import { auditLogIn } from '../../../../store/audit/audit-log.ts';
import { contactsIn } from '../../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { isUnavailable } from '../../../../store/engines/unavailable.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { type MediaBytes, mediaIn } from '../../../../store/media/media.ts';
import type { Collection, Doc, Store } from '../../../../store/port.ts';
import { deletionsIn } from '../../../../store/privacy/deletions.ts';
import { erasuresIn } from '../../../../store/privacy/erasures.ts';
import { exportsIn } from '../../../../store/privacy/exports.ts';
import { holdsIn } from '../../../../store/privacy/holds.ts';
import { retentionIn } from '../../../../store/privacy/retention.ts';
import { storeLinksIn } from '../../../../store/store-links/links.ts';
import { libraryOn, sealer } from './erasure-fixture.ts';

type ProcessClock = Pick<Clock, 'now' | 'after'>;

/** Of a process that is killed or stalls before one of its timers is due. */
export const timerless = (now: () => number): ProcessClock => ({ now, after: () => () => {} });

/** One process, with what its privacy jobs need. */
export function processOn(store: Store, names: Iterable<string>, auditKey: Buffer, bytes: MediaBytes, clock: ProcessClock) {
  const collections = new Map<string, Collection<Doc>>();
  for (const name of names) collections.set(name, store.collection({ name, indexes: [] }));
  const auditLog = auditLogIn(store, auditKey);
  const shared = {
    collections,
    bytes,
    sealer,
    auditLog,
    audit: { record: (draft: Parameters<typeof auditLog.append>[0]) => auditLog.append(draft) },
    holds: holdsIn(store),
    identities: identitiesIn(store),
    formsOf: createFormsOf(identitiesIn(store)),
    devices: devicesIn(store),
    links: storeLinksIn(store),
    mediaRows: mediaIn(store),
    media: libraryOn(store, bytes),
    failed: () => {},
    log: { error: () => {} },
    clock,
  };
  const exports = exportsIn(store);
  const exporting = createExporting({
    ...shared,
    exports,
    isStoreDown: isUnavailable,
    erasures: erasuresIn(store),
    labels: labelsIn(store),
    contacts: contactsIn(store),
  });
  const retaining = createRetaining({
    ...shared,
    retention: retentionIn(store),
    hashOf: (tenantId, phone) => sealer.keyedHash(tenantId, phone),
  });
  const deletion = createAccountDeletion({
    ...shared,
    deletions: deletionsIn(store),
    tenants: tenantsIn(store),
    logOut: async () => {},
    removeDevice: async ({ tenant_id, _id }) => void (await shared.devices.remove(tenant_id, _id, 0)),
    removeExports: exporting.removeAll,
    invalidate: () => {},
  });
  return { exporting, retaining, deletion };
}
