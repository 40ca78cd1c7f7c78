import { type DeviceRow, deviceSpec } from '../devices/devices.ts';
import { type OfficialHookRow, officialHooksSpec } from '../devices/official-hooks.ts';
import { type OfficialSecret, officialSecretOf } from '../devices/official-number.ts';
import type { Store } from '../port.ts';
import { type KeptSecret, replacing, type SecretRewrites } from './secret-rewrites.ts';

const SECRETS: readonly OfficialSecret[] = ['token', 'verify_token', 'app_secret', 'access_token', 'pin'];

export function officialRewritesIn(store: Store): Pick<SecretRewrites, 'all'> {
  const devices = store.collection<DeviceRow>(deviceSpec);
  const hooks = store.collection<OfficialHookRow>(officialHooksSpec);
  const ofNumber = (group: string, name: OfficialSecret, path: string, value: string): KeptSecret => ({
    group,
    about: officialSecretOf(name),
    value,
    replace: replacing(devices, group, path, value),
  });

  return {
    async *all() {
      for await (const { _id, official } of devices.find({}, { sort: { _id: 1 } })) {
        if (!official) continue;
        for (const name of SECRETS) {
          const value = official[name];
          if (value !== null) yield ofNumber(_id, name, `official.${name}`, value);
        }
        if (official.former) yield ofNumber(_id, 'app_secret', 'official.former.app_secret', official.former.app_secret);
        for await (const { _id: id, body } of hooks.find({ session_id: _id, waiting: true }, { sort: { seq: 1 } }))
          yield { group: _id, about: officialSecretOf('webhook'), value: body, replace: replacing(hooks, id, 'body', body) };
      }
    },
  };
}
