import { sandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import { newDevice } from '../../../actors/services/devices/new-device.ts';
import { OfficialKeyring } from '../../../actors/services/official/keys.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { present } from '../../../runtime/invariant.ts';
import { createSealer } from '../../../runtime/sealing/seal.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
import { officialHooksIn } from '../../../store/devices/official-hooks.ts';
import { officialNumbersIn } from '../../../store/devices/official-numbers.ts';
import { secretsFor } from '../../wiring/secrets.ts';
import { startBenchNode } from '../bench-node.ts';
import { anApiKey, aTenant } from '../planted.ts';

export interface Receiver {
  readonly url: string;
  readonly secret: string;
  readonly phoneNumberId: string;
  readonly wabaId: string;
  read(): Promise<void>;
}

/** The app's secret was renewed today, so webhooks are checked with two. */
export async function startReceiver(): Promise<Receiver> {
  const { node, store, config } = await startBenchNode();
  const tenant = await aTenant(store);
  const keys = sandboxVerbs(present(node.sandbox, 'the sandbox')).createOfficial({ phone_number: '6281100000077' });
  const keyring = new OfficialKeyring(createSealer(secretsFor(config).deviceKeys), officialNumbersIn(store));
  const device = newDevice(tenant._id, 'bench', null, systemClock.now());
  const { official: made } = await keyring.make(device, { ...keys, app_secret: 'former secret' });
  const official = { ...made, ...keyring.renewed({ _id: device._id, official: made }, keys, systemClock.now()) };
  await devicesIn(store).create({ ...device, official });
  const headers = { Authorization: `Bearer ${await anApiKey(store, tenant._id)}` };
  const path = `${node.url}/v1/sessions/${device._id}`;
  await fetch(`${path}/connect`, { method: 'POST', headers });
  await until(async () => memberOf(await (await fetch(path, { headers })).json(), 'status') === 'connected');
  const hooks = officialHooksIn(store);
  return {
    url: `${node.url}/hooks/official/${keyring.open({ _id: device._id, official }).token}`,
    ...{ secret: keys.app_secret, phoneNumberId: keys.phone_number_id, wabaId: keys.waba_id },
    read: () => until(async () => (await hooks.waiting(device._id, 1)).length === 0),
  };
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await wait(100);
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));
