import type { Logger } from 'pino';
import type { ClerkCommand } from '../actors/clerk/protocol.ts';
import { clerkKind } from '../actors/clerk/spawn.ts';
import type { AudiencePorts } from '../actors/crm/audience.ts';
import { bulkStep, forgetStep } from '../actors/crm/chores.ts';
import { type Clerical, createClerical } from '../actors/crm/clerical.ts';
import { type ImportPorts, importStep } from '../actors/crm/import/import-step.ts';
import { createImportReader, type ImportReader } from '../actors/crm/import/reader.ts';
import type { ActorRef } from '../runtime/actor.ts';
import { unreachable } from '../runtime/behaviour.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ClusterActors } from '../runtime/cluster/actors.ts';
import { leased } from '../runtime/cluster/leased.ts';
import type { Cluster } from '../runtime/cluster/port.ts';
import type { Wanted } from '../runtime/cluster/steward.ts';
import type { ActorSystem } from '../runtime/system.ts';
import { choresIn } from '../store/chores.ts';
import type { Store } from '../store/collection.ts';
import type { Consents } from '../store/consents.ts';
import { contactsIn } from '../store/contacts.ts';
import { type ImportFiles, importFilesIn } from '../store/import-files.ts';
import { isUnavailable } from '../store/unavailable.ts';
import { wordsIn } from '../store/words.ts';

/** Contacts and the long work on them. */
export interface CrmWorld extends AudiencePorts {
  readonly clerical: Clerical;
  readonly importFiles: ImportFiles;
  readonly importReader: ImportReader;
  /** Tenants whose clerk has something to do, for the steward. */
  clerksWanted(): Promise<readonly Wanted[]>;
}

export interface CrmParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly actors: ActorSystem;
  readonly everywhere: ClusterActors;
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly optIn: ImportPorts['optIn'];
}

/** Of a device's connection: it works in small steps and pauses between them. */
const WEIGHT = 0.5;

export function startCrm({ clock, log, store, cluster, actors, everywhere, consents, optIn }: CrmParts): CrmWorld {
  const chores = choresIn(store);
  const audience: AudiencePorts = { contacts: contactsIn(store), words: wordsIn(store), consentsOf: consents.statusOf };
  const importFiles = importFilesIn(store);
  const importReader = createImportReader();
  const imports: ImportPorts = { ...audience, files: importFiles, reader: importReader, optIn };
  const { kind, gone } = leased(
    clerkKind({
      chores,
      isStoreDown: isUnavailable,
      clock,
      log,
      step(chore, now) {
        switch (chore.kind) {
          case 'forget':
            return forgetStep(audience, chore, now);
          case 'bulk':
            return bulkStep(audience, chore, now);
          case 'import':
            return importStep(imports, chore, now);
          default:
            return unreachable(chore);
        }
      },
    }),
    cluster.leases,
  );
  actors.register(kind);
  everywhere.add({
    kind: 'clerk',
    rest: async (id, _must, timeoutMs) => void (await actors.ref<ClerkCommand>('clerk', id).ask({ type: 'rest' }, timeoutMs)),
    gone,
  });

  return {
    ...audience,
    importFiles,
    importReader,
    clerical: createClerical({ chores, words: audience.words, hint: (tenantId) => hint(everywhere.ref('clerk', tenantId)) }),
    async clerksWanted() {
      return (await chores.waiting()).map((id) => ({ kind: 'clerk', id, weight: WEIGHT, pinned: null, movable: true }));
    },
  };
}

/** The chore is in the store, so a full mailbox loses nothing. */
function hint(clerk: ActorRef<ClerkCommand>): void {
  try {
    clerk.tell({ type: 'workArrived' });
  } catch {
    // Refused: see above.
  }
}
