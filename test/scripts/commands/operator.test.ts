import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { aGateway, calling } from '../../support/gateway.ts';
import { aDatabase, aDirectory, realStores } from '../../support/stores.ts';

const RUN = resolve(import.meta.dirname, '../../../scripts/commands/run.js');
const STEP_MS = 30_000;

function operator(order: string, env: Readonly<Record<string, string>>): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, cwd: import.meta.dirname, timeout: 120_000 };
    execFile(process.execPath, [RUN, 'operator', order], options, (cause, out, err) =>
      done({ code: cause ? Number(cause.code ?? 1) : 0, out, err }),
    );
  });
}

it('the operator command rejects all subcommands except reset-2fa', async () => {
  const { code, out, err } = await operator('reset-everything', {});
  assert.deepEqual([code, out, err], [1, '', 'Run it as: npm run operator -- reset-2fa\n']);
});

describe('an operator without an authenticator app or recovery codes', () => {
  for (const { name } of realStores)
    it(`can turn off two-factor from the shell, which is recorded in the audit log (${name})`, async (t) => {
      const data_dir = aDirectory(t);
      const url = name === 'mongodb' ? aDatabase(t) : null;
      const open = () => (url ? openMongo({ url }) : openEmbedded({ path: `${data_dir}/gateway.db` }));
      const aNode = async () => {
        const store = await open();
        const gateway = await aGateway(t, { kind: { name: store.name, fresh: async () => store }, config: { data_dir } });
        const stop = async (): Promise<void> => {
          await gateway.during(gateway.node.stop());
          await store.close();
        };
        return { gateway, stop };
      };
      const first = await aNode();
      const { operator: before, clock } = first.gateway;
      const { secret } = (await before('POST', '/v1/admin/2fa/setup')).body;
      const app = new TOTP({ secret: Secret.fromBase32(secret) });
      const code = (): string => app.generate({ timestamp: clock.now() });
      assert.equal((await before('POST', '/v1/admin/2fa/enable', { code: code() })).status, 200);
      await clock.advance(STEP_MS);
      const { session } = (await before('POST', '/v1/admin/2fa/verify', { code: code() })).body;
      assert.equal((await before('GET', '/v1/admin/tenants')).status, 401);
      await first.stop();

      const env = { DATA_DIR: data_dir, ...(url && { MONGODB_URL: url }) };
      const done = await operator('reset-2fa', env);
      assert.deepEqual(done, { code: 0, out: "The operators' second factor is off, and their sessions have ended.\n", err: '' });

      const { gateway, stop } = await aNode();
      const after = calling(gateway.node.url, { 'x-admin-secret': gateway.node.secrets.admin });
      assert.equal((await after('GET', '/v1/admin/2fa')).body.enabled, false);
      const [entry, ...more] = (await after('GET', '/v1/admin/audit?action=operator.reset_2fa')).body.entries;
      assert.deepEqual([entry.actor.kind, entry.actor.name, entry.result, more], ['operator', 'shell', 'ok', []]);
      const again = (await after('POST', '/v1/admin/2fa/setup')).body;
      assert.notEqual(again.secret, secret);
      const renewed = new TOTP({ secret: Secret.fromBase32(again.secret) }).generate({ timestamp: gateway.clock.now() });
      assert.equal((await after('POST', '/v1/admin/2fa/enable', { code: renewed })).status, 200);
      const old = calling(gateway.node.url, { 'x-admin-secret': gateway.node.secrets.admin, 'x-admin-session': session });
      assert.equal((await old('GET', '/v1/admin/tenants')).status, 401, 'sessions from before have ended');
      await stop();
    });
});
