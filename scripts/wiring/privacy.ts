import { type AccountDeletion, createAccountDeletion } from '../../actors/services/privacy/account-deletion.ts';
import { createErasing, type Erasing } from '../../actors/services/privacy/erasure.ts';
import { createExporting, type Exporting } from '../../actors/services/privacy/export/exporting.ts';
import { createRetaining, type Retaining } from '../../actors/services/privacy/retention/retention.ts';
import { createVanishing } from '../../actors/services/privacy/vanishing.ts';
import { Refusal } from '../../runtime/errors.ts';
import { aiChatsIn } from '../../store/ai-reply/chats.ts';
import { unansweredIn } from '../../store/ai-reply/unanswered.ts';
import type { AuditedStore } from '../../store/audit/audited-store.ts';
import { draftReservationsIn } from '../../store/campaigns/draft-reservations.ts';
import { importFilesIn } from '../../store/contacts/import-files.ts';
import { isUnavailable } from '../../store/engines/unavailable.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import { mediaIn } from '../../store/media/media.ts';
import { pollVotesIn } from '../../store/messaging/poll-votes.ts';
import { vanishingMessagesIn } from '../../store/messaging/vanishing.ts';
import { deletionsIn } from '../../store/privacy/deletions.ts';
import { type Erasures, erasuresIn } from '../../store/privacy/erasures.ts';
import { type Exports, exportsIn } from '../../store/privacy/exports.ts';
import { type Holds, holdsIn } from '../../store/privacy/holds.ts';
import { retentionIn } from '../../store/privacy/retention.ts';
import { wakeupsIn } from '../../store/scheduling/wakeups.ts';
import { storeHooksIn } from '../../store/store-links/hooks.ts';
import { storeLinksIn } from '../../store/store-links/links.ts';
import type { ActorServices } from './actors.ts';

export interface Privacy {
  readonly erasures: Erasures;
  readonly holds: Holds;
  readonly erasing: Erasing;
  hintErasures(now: number): void;
  readonly exports: Exports;
  readonly exporting: Exporting;
  hintExports(now: number): void;
  readonly retaining: Retaining;
  readonly accountDeletion: AccountDeletion;
  hintDeletions(now: number): void;
  continueAll(now: number): Promise<void>;
}

/** Errors are ignored, because a device that does not respond is offline. */
const ignored = (): void => undefined;

export function startPrivacy(store: AuditedStore, services: ActorServices): Privacy {
  const erasures = erasuresIn(store);
  const holds = holdsIn(store);
  const failed = (cause: unknown): void =>
    services.log.warn({ event: 'privacy.erasure_delayed', err: cause }, 'an erasure could not continue; it will be retried');
  const deletionFailed = (cause: unknown): void =>
    services.log.warn({ event: 'privacy.deletion_delayed', err: cause }, 'an account could not be deleted yet; this will be retried');
  const exports = exportsIn(store);
  const shared = {
    ...services,
    erasures,
    holds,
    formsOf: services.people.formsOf,
    links: storeLinksIn(store),
    collections: store.known,
  };
  const exporting = createExporting({
    ...shared,
    identities: identitiesIn(store),
    exports,
    mediaRows: mediaIn(store),
    isStoreDown: isUnavailable,
    failed: (cause) =>
      services.log.warn({ event: 'privacy.export_delayed', err: cause }, 'an export could not continue; it will be retried'),
  });
  const retaining = createRetaining({
    ...shared,
    retention: retentionIn(store),
    mediaRows: mediaIn(store),
    hashOf: (tenantId, phone) => services.sealer.keyedHash(tenantId, phone),
    failed: (cause) =>
      services.log.warn({ event: 'privacy.retention_delayed', err: cause }, 'expired data could not be removed; this will be retried'),
  });
  const vanish = createVanishing({
    ...shared,
    vanishing: vanishingMessagesIn(store),
    retention: retentionIn(store),
    votes: pollVotesIn(store),
    hashOf: (tenantId, phone) => services.sealer.keyedHash(tenantId, phone),
  });
  const erasing = createErasing({
    ...shared,
    removeExports: exporting.removeAll,
    reservations: draftReservationsIn(store),
    hooks: storeHooksIn(store),
    importFiles: importFilesIn(store),
    unanswered: unansweredIn(store),
    aiChats: aiChatsIn(store),
    wakeups: wakeupsIn(store),
    failed,
  });
  const accountDeletion = createAccountDeletion({
    ...shared,
    deletions: deletionsIn(store),
    async logOut(row) {
      // The call to an overloaded device must be retried, because nothing else logs the device out.
      const unlessBusy = (cause: unknown): void => {
        if (cause instanceof Refusal && cause.code === 'OVERLOADED') throw cause;
      };
      await services.device(row).ask({ type: 'logOut' }).catch(unlessBusy);
    },
    async removeDevice(row) {
      await services.removeDevice(row);
      await services.device(row).ask({ type: 'retire' }).catch(ignored);
    },
    removeExports: exporting.removeAll,
    invalidate: services.live.authorizationChanged,
    failed: deletionFailed,
  });
  return {
    erasures,
    holds,
    erasing,
    hintErasures: (now) => void erasing.continueAll(now).catch(failed),
    exports,
    exporting,
    retaining,
    accountDeletion,
    hintDeletions: (now) => void accountDeletion.continueAll(now).catch(deletionFailed),
    hintExports: (now) => void exporting.continueAll(now).catch(failed),
    async continueAll(now) {
      await Promise.all([
        erasing.continueAll(now),
        exporting.continueAll(now),
        retaining.runDue(now),
        accountDeletion.continueAll(now),
        vanish(now),
      ]);
    },
  };
}
