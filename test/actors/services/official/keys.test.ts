import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OfficialKeyring } from '../../../../actors/services/official/keys.ts';
import { secretKeysOf } from '../../../../runtime/sealing/keys.ts';
import { createSealer } from '../../../../runtime/sealing/seal.ts';
import { officialNumbersIn } from '../../../../store/devices/official-numbers.ts';
import { embedded } from '../../../support/stores.ts';

it("a tenant with thousands of app secrets does not evict another tenant's opened secret", async (t) => {
  const real = createSealer(secretKeysOf('a'.repeat(64), [], ''));
  const opened: string[] = [];
  const sealer: typeof real = {
    ...real,
    open(group, about, text) {
      opened.push(group);
      return real.open(group, about, text);
    },
  };
  const keyring = new OfficialKeyring(sealer, officialNumbersIn(await embedded.fresh(t)));
  const given = { phone_number_id: '1', waba_id: '2', app_id: '3', access_token: 'a token' };
  const aNumber = async (tenant_id: string) => {
    const id = { tenant_id, _id: `device of ${tenant_id}` };
    return { ...id, official: (await keyring.make(id, { ...given, app_secret: `secret of ${tenant_id}` })).official };
  };
  const small = await aNumber('small');
  const large = await aNumber('large');
  assert.deepEqual(keyring.appSecrets(small, 0), ['secret of small']);
  for (let nth = 0; nth < 3_000; nth += 1) {
    const { official } = large;
    const renewed = keyring.renewed(large, { app_secret: `secret ${nth}`, end_former: true }, 0);
    assert.deepEqual(keyring.appSecrets({ ...large, official: { ...official, ...renewed } }, 0), [`secret ${nth}`]);
  }
  assert.deepEqual(keyring.appSecrets(small, 0), ['secret of small']);
  assert.equal(opened.filter((group) => group === small._id).length, 1);
});
