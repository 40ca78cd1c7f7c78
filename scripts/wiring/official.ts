import { createHookRoom } from '../../actors/services/official/hook-room.ts';
import { OfficialKeyring } from '../../actors/services/official/keys.ts';
import type { GraphPlace, OpenLoginDeps } from '../../actors/services/official/open-login.ts';
import type { OfficialReceiveDeps } from '../../actors/services/official/receive.ts';
import type { Submitted } from '../../actors/services/official/templates.ts';
import { createOfficialUpdates } from '../../actors/services/official/updates.ts';
import { createEgress, egressTo } from '../../runtime/egress/egress.ts';
import { labelsIn, type OfficialTemplate, type TemplateRow } from '../../store/contacts/labels.ts';
import { type Windows, windowsIn } from '../../store/conversations/windows.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';
import { type OfficialHooks, officialHooksIn } from '../../store/devices/official-hooks.ts';
import { type OfficialNumbers, officialNumbersIn } from '../../store/devices/official-numbers.ts';
import { officialPeopleIn } from '../../store/devices/official-people.ts';
import { officialReachIn } from '../../store/devices/official-reach.ts';
import type { JobPatch, TemplatesJob } from '../../store/jobs/jobs.ts';
import { erasuresIn } from '../../store/privacy/erasures.ts';
import { holdsIn } from '../../store/privacy/holds.ts';
import type { DeviceParts } from './devices.ts';
import type { FeatureServices } from './features.ts';
import type { SharedDeps } from './shared-deps.ts';

/** Fails with the same codes as `submitOfficial`. */
export interface OfficialTemplates {
  submit(device: DeviceRow, submitted: Submitted): Promise<TemplateRow>;
  /** Fails with OVERLOADED if the tenant has too many pending jobs. */
  sync(device: DeviceRow): Promise<void>;
  remove(device: DeviceRow, official: OfficialTemplate): Promise<void>;
}

export interface OfficialServices {
  readonly officialNumbers: OfficialNumbers;
  readonly officialHooks: OfficialHooks;
  readonly officialKeys: OfficialKeyring;
  readonly officialReceiving: Omit<OfficialReceiveDeps, 'countForgery'>;
  serveOfficialAt(address: () => string): void;
  readonly windows: Windows;
  readonly officialTemplates: OfficialTemplates;
  syncTemplates(job: TemplatesJob): Promise<JobPatch>;
  readonly officialDriver: DeviceParts['officialDriver'];
}

const GRAPH_URL = 'https://graph.facebook.com';
const GRAPH_VERSION = 'v26.0';

export function startOfficial(
  shared: SharedDeps,
  {
    eventLog,
    jobHints,
    people,
    consentService,
    priceBook,
  }: Pick<FeatureServices, 'eventLog' | 'jobHints' | 'people' | 'consentService' | 'priceBook'>,
): OfficialServices {
  const { config, clock, log, store, network, sealer, device, hintDevice, messages, replyLimit, outside } = shared;
  const officialNumbers = officialNumbersIn(store);
  const officialHooks = officialHooksIn(store);
  const officialPeople = officialPeopleIn(store);
  const officialKeys = new OfficialKeyring(sealer, officialNumbers);
  const windows = windowsIn(store);
  const labels = labelsIn(store);
  let address = (): string => '';
  let place: Promise<GraphPlace> | null = null;
  const findGraph = async (): Promise<GraphPlace> => {
    const url = config.graph_url ?? (await network.officialUrl?.()) ?? GRAPH_URL;
    const { dispatcher } = outside ?? (url === GRAPH_URL ? createEgress({ allow: [], clock }) : egressTo(url, clock));
    return { url: url.replace(/\/+$/, ''), version: GRAPH_VERSION, dispatcher };
  };
  const graph = (): Promise<GraphPlace> => {
    place ??= findGraph();
    place.catch(() => {
      place = null;
    });
    return place;
  };
  const templates = { labels, record: eventLog.record, now: () => clock.now() };
  const deps: OpenLoginDeps = {
    ...{ officialNumbers, officialHooks, officialPeople, officialKeys, messages, windows, templates, clock, graph, people, consentService },
    officialReach: officialReachIn(store),
    priceBook,
    replyLimit,
    updates: createOfficialUpdates({ record: eventLog.record, now: () => clock.now() }),
    erasures: erasuresIn(store),
    holds: holdsIn(store),
    hashOf: (tenantId, subject) => sealer.keyedHash(tenantId, subject),
    address: () => address(),
    hint: ({ tenantId: tenant_id, sessionId: _id }) => hintDevice({ tenant_id, _id }),
  };
  const atVendor = async ({ _id: sessionId, tenant_id: tenantId, epoch }: DeviceRow) => {
    const [{ openLogin }, service] = await Promise.all([
      import('../../actors/services/official/open-login.ts'),
      import('../../actors/services/official/templates.ts'),
    ]);
    const owner = { tenantId, sessionId, epoch };
    return { owner, service, login: await openLogin(deps, owner) };
  };

  return {
    officialNumbers,
    officialHooks,
    officialKeys,
    windows,
    officialTemplates: {
      async submit(device, submitted) {
        const { owner, login, service } = await atVendor(device);
        return service.submitOfficial(templates, owner, login, submitted);
      },
      async sync({ _id: session_id, tenant_id }) {
        await jobHints.order(tenant_id, { kind: 'templates', session_id }, clock.now());
      },
      async remove(device, official) {
        const { login, service } = await atVendor(device);
        await service.removeOfficial(login, official);
      },
    },
    async syncTemplates({ tenant_id, session_id, created_at, after }) {
      const device = await officialNumbers.find(tenant_id, session_id);
      if (!device) return { status: 'done' };
      const { owner, login, service } = await atVendor(device);
      const next = await service.syncPage(templates, owner, login, { name: null, began: created_at, after });
      return next === null ? { status: 'done' } : { after: next };
    },
    officialReceiving: {
      ...{ officialNumbers, officialHooks, officialKeys, device, hookRoom: createHookRoom(officialHooks) },
      dropped: (changes) =>
        log.warn({ event: 'official.changes_dropped', changes }, 'a webhook named a number that does not belong to its app'),
    },
    serveOfficialAt(served) {
      address = served;
    },
    async officialDriver(owner) {
      const [{ createOfficialDriver }, { openLogin }] = await Promise.all([
        import('../../actors/network/official/driver.ts'),
        import('../../actors/services/official/open-login.ts'),
      ]);
      return createOfficialDriver(await openLogin(deps, owner));
    },
  };
}
