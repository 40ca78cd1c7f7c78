import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { GatewayClient, GatewayError } from '../../scripts/client/client.ts';
import { n8nOf } from '../../scripts/client/generate/n8n.ts';
import { clientOf, pythonOf } from '../../scripts/client/generate/typescript-and-python.ts';
import { ANNA, aGateway, OTHER_PROCESS_MS, PHONE } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

const EXAMPLES = join(import.meta.dirname, '../../scripts/examples');
const PORT = '19471';

interface Told {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

it('the committed client is identical to the generated one (npm run client)', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { body } = await gateway.api('GET', '/openapi.json');
  const lines = readFileSync(join(EXAMPLES, '../../http/openapi/client/gateway.generated.ts'), 'utf8').split('\n');
  const made = clientOf(body).split('\n');
  assert.deepEqual([lines.filter((line) => !made.includes(line)), made.filter((line) => !lines.includes(line))], [[], []]);
  assert.equal(readFileSync(join(EXAMPLES, '../n8n/nodes/operations.generated.json'), 'utf8'), n8nOf(body));
  assert.equal(readFileSync(join(EXAMPLES, '../client/python/messaging_gateway/operations.py'), 'utf8'), pythonOf(body));
});

it('the generated client exposes the error code of a rejected call', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const client = new GatewayClient(gateway.node.url, 'nobody');
  const refused = client.call('listSessions', {});
  await assert.rejects(refused, (cause) => cause instanceof GatewayError && cause.status === 401 && cause.code === 'UNAUTHORIZED');
});

it('every client example runs in TypeScript, Python and the shell', { timeout: 600_000 }, async (t) => {
  const gateway = await aGateway(t, { kind: embedded, config: { egress_allow: [`127.0.0.1:${PORT}`] } });
  const acme = await gateway.signUp();
  const desk = await acme.linked(PHONE);
  const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'Examples' })).body;
  await acme.api('PUT', '/v1/settings', { send_window: { enabled: false } });
  const own = { GATEWAY_URL: gateway.node.url, GATEWAY_KEY: key, SESSION_ID: desk.id, TO: `+${ANNA}`, PORT };
  const told = (program: string, file: string): Promise<Told> =>
    gateway.during(
      new Promise((resolve) => {
        const child = execFile(program, [join(EXAMPLES, file)], { env: { ...process.env, ...own } }, (_cause, out, err) =>
          resolve({ exitCode: child.exitCode, out, err }),
        );
      }),
      OTHER_PROCESS_MS,
    );
  const does = async (program: string, file: string, what: RegExp): Promise<void> => {
    const { exitCode, out, err } = await told(program, file);
    assert.deepEqual([exitCode, err], [0, ''], `${file}: ${out}`);
    assert.match(out, what, file);
  };
  const node = process.execPath;
  await does(node, 'typescript/send.ts', /is (delivered|read)/);
  await does('python3', 'python/send.py', /is (delivered|read)/);
  await does('sh', 'shell/send.sh', /is (delivered|read)/);
  await does(node, 'typescript/campaign.ts', /completed: 1 of 1/);
  await does('python3', 'python/campaign.py', /completed: 1 of 1/);
  await does('sh', 'shell/campaign.sh', /completed: 1 of 1/);
  // In the evening a campaign waits for the morning, and its example says so and ends.
  const closed = { enabled: true, start: '03:00', end: '03:01', zone: 'business' };
  assert.equal((await acme.api('PUT', '/v1/settings', { send_window: closed })).status, 200);
  await does(node, 'typescript/campaign.ts', /running: 0 of 1\nit goes on at \d{4}-\d\d-\d\dT\d\d:\d\d/);
  await does('python3', 'python/campaign.py', /running: 0 of 1\nit goes on at \d{4}-\d\d-\d\dT\d\d:\d\d/);
  await does('sh', 'shell/campaign.sh', /running: 0 of 1\nit goes on at \d{4}-\d\d-\d\dT\d\d:\d\d/);
  await acme.api('PUT', '/v1/settings', { send_window: { enabled: false } });
  await does(node, 'typescript/receive-by-webhook.ts', /webhook\.test: /);
  await does('python3', 'python/receive_by_webhook.py', /webhook\.test: /);

  const dashboards = [
    does(node, 'typescript/live-dashboard.ts', /the device is connected[\s\S]*message\.received/),
    does('python3', 'python/live_dashboard.py', /the device is connected[\s\S]*message\.received/),
    does('sh', 'shell/live-dashboard.sh', /message\.received/),
  ];
  await gateway.until('the dashboards listen', () => gateway.node.live.size === dashboards.length);
  const write = (body: string): unknown => gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body } });
  write('stop example');
  // The shell stops its own reader when the next line arrives.
  const over = Promise.all(dashboards).then(() => true);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  await gateway.until('the dashboards end', () => isOver || (write('and more') as false));
  await over;
  await does(node, 'typescript/receive-by-pull.ts', new RegExp(`${ANNA}: stop example`));
  await does('python3', 'python/receive_by_pull.py', new RegExp(`${ANNA}: stop example`));
  await does('sh', 'shell/receive-by-pull.sh', /"stop example"/);
});
