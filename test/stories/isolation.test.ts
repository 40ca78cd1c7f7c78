import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { BARE, HOSTS, someChildren } from '../runtime/child-processes/children-fixture.ts';
import { aGateway } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

const WAYS = [...HOSTS, ['on a host without isolation features', BARE] as const];

describe('a node that reads files in child processes', () => {
  for (const [name, host] of WAYS)
    it(`reports its isolation to the operator, and warns if it has none (${name})`, async (t) => {
      const lines: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
      const children = await someChildren(t, { host });
      const gateway = await aGateway(t, { kind: embedded, log, children });
      const { status, body } = await gateway.operator('GET', '/v1/admin/health');
      const inside = host.namespaces !== null;
      assert.equal(status, 200);
      assert.deepEqual(body.isolation, {
        memory: host.proc ? 'watched' : 'heap',
        cpu: host.tools.prlimit ? 'prlimit' : host.proc ? 'watched' : 'none',
        network: inside ? 'none' : 'open',
        files: inside ? 'hidden' : 'permissions',
      });
      assert.equal(lines.filter((line) => line.includes('children.not_isolated')).length, inside && host.proc ? 0 : 1);
      const tenant = await gateway.signUp();
      assert.equal((await tenant.api('GET', '/v1/admin/health')).status, 401);
    });
});

describe('a business that has used up its CPU time for files', () => {
  it('gets an error that says when imports can continue, and other businesses can still import', async (t) => {
    const world = { now: Date.UTC(2026, 0, 1) };
    const children = await someChildren(t, { cpuMsAnHour: 1, now: () => world.now });
    const gateway = await aGateway(t, { kind: embedded, children });
    world.now = gateway.clock.now();
    const { api } = await gateway.signUp();
    const body = { rows: [{ phone: '+6281211110001', name: 'Ana' }] };
    const { id } = (await api('POST', '/v1/contacts/import', body)).body;
    // The body has already been read, so the parts of the file can no longer be read.
    const first = await gateway.until('the import is over', async () => {
      const shown = (await api('GET', `/v1/contacts/imports/${id}`)).body;
      return shown.status !== 'queued' && shown.status !== 'running' && shown;
    });
    assert.equal(first.status, 'failed');
    assert.match(first.errors[0].error, /^Your files have used up their processing time for this hour\. Try again after \d\d:\d\d\.$/);
    const again = await api('POST', '/v1/contacts/import', body);
    assert.deepEqual([again.status, again.body.code], [429, 'RATE_LIMITED']);
    const seconds = Number(again.headers.get('retry-after'));
    assert.ok(seconds > 3_500 && seconds <= 3_660, `${seconds}`);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('POST', '/v1/contacts/import', body)).status, 202);
    world.now += 3_660_000;
    assert.equal((await api('POST', '/v1/contacts/import', body)).status, 202);
  });
});
