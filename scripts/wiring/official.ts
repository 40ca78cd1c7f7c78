import { OfficialKeyring } from '../../actors/services/official/keys.ts';
import type { GraphPlace, OpenLoginDeps } from '../../actors/services/official/open-login.ts';
import type { OfficialReceiveDeps } from '../../actors/services/official/receive.ts';
import { createOfficialUpdates } from '../../actors/services/official/updates.ts';
import { createEgress, egressTo } from '../../runtime/egress/egress.ts';
import { type OfficialHooks, officialHooksIn } from '../../store/devices/official-hooks.ts';
import { type OfficialNumbers, officialNumbersIn } from '../../store/devices/official-numbers.ts';
import { officialPeopleIn } from '../../store/devices/official-people.ts';
import type { DeviceParts } from './devices.ts';
import type { FeatureServices } from './features.ts';
import type { SharedDeps } from './shared-deps.ts';

/** Numbers on the vendor's business platform. Its driver is loaded with the first of them. */
export interface OfficialServices {
  readonly officialNumbers: OfficialNumbers;
  readonly officialHooks: OfficialHooks;
  readonly officialKeys: OfficialKeyring;
  readonly officialReceiving: Omit<OfficialReceiveDeps, 'countForgery'>;
  /** The public address of this gateway, for the platform's callback. */
  serveOfficialAt(address: () => string): void;
  readonly officialDriver: DeviceParts['officialDriver'];
}

const GRAPH_URL = 'https://graph.facebook.com';
const GRAPH_VERSION = 'v26.0';

export function startOfficial(shared: SharedDeps, { eventLog }: Pick<FeatureServices, 'eventLog'>): OfficialServices {
  const { config, clock, log, store, network, sealer, device, hintDevice, messages } = shared;
  const officialNumbers = officialNumbersIn(store);
  const officialHooks = officialHooksIn(store);
  const officialPeople = officialPeopleIn(store);
  const officialKeys = new OfficialKeyring(sealer, officialNumbers);
  let address = (): string => '';
  let place: Promise<GraphPlace> | null = null;
  const findGraph = async (): Promise<GraphPlace> => {
    const url = config.graph_url ?? (await network.officialUrl?.()) ?? GRAPH_URL;
    const { dispatcher } = url === GRAPH_URL ? createEgress({ allow: [], clock }) : egressTo(url, clock);
    return { url: url.replace(/\/+$/, ''), version: GRAPH_VERSION, dispatcher };
  };
  const graph = (): Promise<GraphPlace> => {
    place ??= findGraph();
    place.catch(() => {
      place = null;
    });
    return place;
  };
  const deps: OpenLoginDeps = {
    ...{ officialNumbers, officialHooks, officialPeople, officialKeys, messages, clock, graph },
    updates: createOfficialUpdates({ record: eventLog.record, now: () => clock.now() }),
    address: () => address(),
    hint: ({ tenantId: tenant_id, sessionId: _id }) => hintDevice({ tenant_id, _id }),
  };

  return {
    officialNumbers,
    officialHooks,
    officialKeys,
    officialReceiving: {
      ...{ officialNumbers, officialHooks, officialKeys, device },
      dropped: (changes) =>
        log.warn({ event: 'official.changes_dropped', changes }, 'a webhook named a number that is not of its app here'),
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
