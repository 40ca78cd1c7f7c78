import type { Logger } from 'pino';
import type { JobsCommand } from '../../actors/jobs/protocol.ts';
import { jobsKind } from '../../actors/jobs/register.ts';
import type { AudienceDeps } from '../../actors/services/contacts/audience.ts';
import { bulkStep, forgetLabelStep } from '../../actors/services/contacts/bulk-jobs.ts';
import type { NumberedContactDeps } from '../../actors/services/contacts/contacts.ts';
import { type ImportDeps, importStep } from '../../actors/services/contacts/import/import-step.ts';
import { createImportReader, type ImportReader } from '../../actors/services/contacts/import/reader.ts';
import { createJobHints, type JobHints } from '../../actors/services/contacts/job-hints.ts';
import { createStandingNumbers } from '../../actors/services/contacts/standing-numbers.ts';
import type { PersonReader } from '../../actors/services/identities/person-reader.ts';
import type { ActorRef } from '../../runtime/actor-system/actor.ts';
import { unreachable } from '../../runtime/actor-system/behaviour.ts';
import type { ChildProcesses } from '../../runtime/child-processes/child-processes.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClusterActors } from '../../runtime/cluster/cluster-actors.ts';
import { Refusal } from '../../runtime/errors.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import type { Consents } from '../../store/consent/consents.ts';
import { type ContactMerges, contactMergesIn } from '../../store/contacts/contact-merges.ts';
import { contactsIn } from '../../store/contacts/contacts.ts';
import { type ImportFiles, importFilesIn } from '../../store/contacts/import-files.ts';
import { labelsIn } from '../../store/contacts/labels.ts';
import { areFilesAway, isUnavailable } from '../../store/engines/unavailable.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import { type DocumentJob, type JobPatch, jobsIn, type TemplatesJob } from '../../store/jobs/jobs.ts';
import type { Store } from '../../store/port.ts';
import { zonesOf } from './zones-of.ts';

export interface ContactServices extends AudienceDeps, NumberedContactDeps {
  readonly jobHints: JobHints;
  readonly merges: ContactMerges;
  readonly importFiles: ImportFiles;
  readonly importReader: ImportReader;
  readonly readPeople: ImportDeps['readPeople'];
}

export interface ContactParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly everywhere: ClusterActors;
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly children: ChildProcesses;
  readonly personReader: Pick<PersonReader, 'all'>;
  readonly optIn: ImportDeps['optIn'];
  readonly optOut: ImportDeps['optOut'];
  readonly readDocument: (job: DocumentJob) => Promise<JobPatch>;
  readonly syncTemplates: (job: TemplatesJob) => Promise<JobPatch>;
}

export function startContacts({
  clock,
  log,
  store,
  everywhere,
  consents,
  tenants,
  children,
  personReader,
  optIn,
  optOut,
  readDocument,
  syncTemplates,
}: ContactParts): ContactServices {
  const jobs = jobsIn(store);
  const contacts = contactsIn(store);
  const identities = identitiesIn(store);
  const standing = createStandingNumbers({ contacts, identities });
  const audience = { contacts, standing, labels: labelsIn(store), consentsOf: consents.statusOf };
  const importFiles = importFilesIn(store);
  const importReader = createImportReader({ children, zoneOf: zonesOf(tenants) });
  const readPeople: ImportDeps['readPeople'] = (tenantId, rules, texts) => personReader.all({ tenantId, ...rules }, texts);
  const imports: ImportDeps = { ...audience, identities, files: importFiles, reader: importReader, readPeople, optIn, optOut };
  everywhere.register(
    jobsKind({
      jobs,
      // Jobs without files must not wait for jobs whose files are unavailable.
      isStoreDown: (cause) => isUnavailable(cause) && !areFilesAway(cause),
      isOverloaded: (cause) => cause instanceof Refusal && cause.code === 'OVERLOADED',
      clock,
      log,
      step(job, now) {
        switch (job.kind) {
          case 'forget':
            return forgetLabelStep(audience, job, now);
          case 'bulk':
            return bulkStep(audience, job, now);
          case 'import':
            return importStep(imports, job, now);
          case 'document':
            return readDocument(job);
          case 'templates':
            return syncTemplates(job);
          default:
            return unreachable(job);
        }
      },
    }),
  );

  return {
    ...audience,
    merges: contactMergesIn(store),
    importFiles,
    importReader,
    readPeople,
    jobHints: createJobHints({ jobs, labels: audience.labels, hint: (tenantId) => hint(everywhere.ref('jobs', tenantId)) }),
  };
}

function hint(jobs: ActorRef<JobsCommand>): void {
  try {
    jobs.tell({ type: 'workArrived' });
  } catch {
    // The mailbox is full, but the jobs actor will find the job in the store.
  }
}
