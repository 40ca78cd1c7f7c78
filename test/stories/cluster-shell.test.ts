import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Secret, TOTP } from 'otpauth';
import { aGateway, PHONE } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/commands/cluster.ts', import.meta.url));

it('the cluster commands list nodes and devices, and can move devices', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const shell = (...args: readonly string[]) => run(args, { GATEWAY_URL: gateway.node.url, ADMIN_SECRET: gateway.node.secrets.admin });

  const nodes = await shell('nodes');
  assert.equal(nodes.exitCode, 0);
  assert.match(nodes.out, /^NODE +STATE +DEVICES +LOAD .*\nn1 +active +1 +2 .*\n1 node, 1 device running\n$/);
  assert.match((await shell('devices')).out, new RegExp(`${device.id} +${PHONE} +connected +n1 +-`));
  assert.equal(JSON.parse((await shell('nodes', '--json')).out)[0].id, 'n1');
  assert.equal((await shell('move', device.id, 'n1')).out, `${device.id} is already on n1, and stays there.\n`);
  assert.equal((await shell('rebalance', '--dry-run')).out, 'The load is even: nothing to move.\n');

  const unknown = await shell('drain', 'n7');
  assert.deepEqual([unknown.exitCode, unknown.err], [1, 'Not found: node n7 (NOT_FOUND).\n']);
  const stranger = await run(['nodes'], { GATEWAY_URL: gateway.node.url, ADMIN_SECRET: 'somebody else entirely' });
  assert.equal(stranger.exitCode, 1);
  assert.match(stranger.err, /does not accept this operator's secret/);
});

it('an operator with two-factor can sign in from the shell', async (t) => {
  const { node, operator, clock } = await aGateway(t, { kind: embedded });
  const { secret } = (await operator('POST', '/v1/admin/2fa/setup')).body;
  const app = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() });
  await operator('POST', '/v1/admin/2fa/enable', { code: app() });
  const env = { GATEWAY_URL: node.url, ADMIN_SECRET: node.secrets.admin };
  assert.match((await run(['nodes'], env)).err, /Two-factor sign-in is on.*cluster -- sign-in CODE/);
  assert.match((await run(['sign-in', '000000'], env)).err, /^The code is wrong/);
  await clock.advance(30_000);
  const { out, exitCode } = await run(['sign-in', app()], env);
  assert.equal(exitCode, 0);
  assert.match((await run(['nodes'], { ...env, ADMIN_SESSION: out.trim() })).out, /1 node, 0 devices running/);
});

it('the cluster commands report invalid arguments or an unreachable gateway in one sentence', async () => {
  const cases = [
    [['drain'], 2, /takes the name of a node/],
    [['dance'], 2, /Unknown subcommand "dance"/],
    [['nodes', '--dry-run'], 2, /only with rebalance/],
    [['nodes', '--url', 'http://127.0.0.1:1'], 1, /No gateway answers at http:\/\/127\.0\.0\.1:1/],
  ] as const;
  for (const [args, exitCode, says] of cases) {
    const said = await run(args, { ADMIN_SECRET: 'a secret of an operator' });
    assert.equal(said.exitCode, exitCode);
    assert.match(said.err, says);
    assert.equal(said.err.trim().split('\n').length, 1);
  }
  assert.match((await run(['--help'], {})).out, /^Usage: npm run cluster/);
});

interface Said {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Said> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [SCRIPT, ...args], { env: { ...process.env, ...env } }, (_cause, out, err) =>
      resolve({ exitCode: child.exitCode ?? -1, out, err }),
    );
  });
}
