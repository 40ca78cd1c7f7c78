import assert from 'node:assert/strict';
import { it } from 'node:test';
import { auditLogIn } from '../../../store/audit/audit-log.ts';
import { checkLogs } from '../../../store/audit/check-logs.ts';
import { OPERATOR_LOG } from '../../../store/audit/entry.ts';
import { deviceSpec } from '../../../store/devices/devices.ts';
import type { Doc } from '../../../store/port.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('the audit log check in a store without tenants', (kind) => {
  it('reports a missing operator log if devices remain, but reports nothing for an unused store', async (t) => {
    const store = await kind.fresh(t);
    const log = auditLogIn(store, Buffer.alloc(32, 1));
    const devices = store.collection<Doc>(deviceSpec);
    await store.prepare();
    const found = async (): Promise<readonly unknown[]> => {
      const all: unknown[] = [];
      for await (const { log: name, faults = [] } of checkLogs(log, store)) all.push([name, faults.map(({ fault }) => fault)]);
      return all;
    };
    assert.deepEqual(await found(), []);
    await devices.insertOne({ _id: 'device' });
    assert.deepEqual(await found(), [[OPERATOR_LOG, ['log_missing']]]);
  });
});
