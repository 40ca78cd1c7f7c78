import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Secret, TOTP } from 'otpauth';
import { credentialFor } from '../actors/network/passkeys.ts';
import { inboxOf } from '../actors/services/conversations/conversations-fixture.ts';
import { ANNA, aGateway, codeOn, type Gateway, OTHER_PROCESS_MS, PHONE } from '../support/gateway.ts';
import { aDirectory, embedded } from '../support/stores.ts';

const GATEWAY = fileURLToPath(new URL('../../scripts/commands/gateway.js', import.meta.url));
const OWNER = '6281100009999';

interface Said {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** The real command against this gateway, signed in by a file of its own. */
function shellOf(t: TestContext, gateway: Gateway) {
  const file = join(aDirectory(t), 'own', 'credentials.json');
  const positions = join(aDirectory(t), 'own', 'positions');
  const env = {
    ...process.env,
    GATEWAY_URL: gateway.node.url,
    GATEWAY_CREDENTIALS: file,
    GATEWAY_POSITIONS: positions,
    ADMIN_SECRET: gateway.node.secrets.admin,
  };
  const shell = (...args: readonly string[]): Promise<Said> =>
    gateway.during(
      new Promise((resolve) => {
        const child = execFile(process.execPath, [GATEWAY, ...args], { env }, (_cause, out, err) =>
          resolve({ exitCode: child.exitCode ?? -1, out, err }),
        );
      }),
      OTHER_PROCESS_MS,
    );
  /** One that goes on; `line` waits for one of its lines. */
  const going = (...args: readonly string[]) => {
    const child: ChildProcess = spawn(process.execPath, [GATEWAY, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const line = async (part: RegExp): Promise<string> => {
      for (let next = await lines.next(); !next.done; next = await lines.next()) if (part.test(next.value)) return next.value;
      throw new Error(`it never said ${part}`);
    };
    return {
      line: (part: RegExp) => gateway.during(line(part)),
      over: new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1))),
    };
  };
  return { shell, going, file, positions };
}

it('the shell can link a phone with a passkey', { timeout: 600_000 }, async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { shell, going } = shellOf(t, gateway);
  await shell('sign-in', '--phone', `+${OWNER}`, '--name', 'Toko Acme');
  await shell('sign-in', '--phone', `+${OWNER}`, '--code', codeOn(gateway.sandbox, OWNER));
  const link = going('link', '--name', 'Desk', '--phone', `+${PHONE}`);
  const [, pairingCode = ''] = /: (\S+)$/.exec(await link.line(/^Type this code/)) ?? [];
  gateway.sandbox.phone(PHONE).set({ passkey: true });
  gateway.sandbox.phone(PHONE).scan({ pairingCode });
  const { pathname } = new URL(await link.line(/passkey-ceremony/));
  const { public_key } = (await gateway.api('GET', pathname)).body;
  await gateway.during(gateway.api('POST', pathname, { credential: credentialFor(public_key.challenge) }));
  assert.match(await link.line(/^Compare this code/), /: \w{4}-\w{4}$/);
  assert.equal((await gateway.during(gateway.api('POST', pathname, { confirmed: true }))).status, 202);
  assert.match(await link.line(/^Linked/), new RegExp(`${PHONE} is online`));
  assert.equal(await link.over, 0);
});

it('the shell can sign up, link a phone, send a message and read the reply', { timeout: 600_000 }, async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { shell, going, file } = shellOf(t, gateway);
  assert.match((await shell('chats')).err, /You are not signed in/);

  const waiting = await shell('sign-in', '--phone', `+${OWNER}`, '--name', 'Toko Acme');
  assert.deepEqual([waiting.exitCode, waiting.out], [2, `A code is on its way to +${OWNER}.\n`]);
  const code = codeOn(gateway.sandbox, OWNER);
  assert.match((await shell('sign-in', '--phone', `+${OWNER}`, '--code', '000000')).err, /\(UNAUTHORIZED\)/);
  assert.match((await shell('sign-in', '--phone', `+${OWNER}`, '--code', code)).out, /^Signed in as Toko Acme/);
  assert.equal(statSync(file).mode & 0o777, 0o600, 'nobody else reads what signs in');
  assert.match((await shell('devices')).out, /No devices yet/);

  const link = going('link', '--name', 'Desk');
  await link.line(/[█▀▄]{20}/);
  const token = Object.values<{ token: string }>(JSON.parse(readFileSync(file, 'utf8')))[0]!.token;
  const api = gateway.as(token);
  const [device] = (await api('GET', '/v1/sessions')).body.sessions;
  const path = `/v1/sessions/${device.id}`;
  gateway.sandbox.phone(PHONE).scan({ qr: (await api('GET', `${path}/qr`)).body.qr });
  assert.match(await link.line(/^Linked/), new RegExp(`${PHONE} is online as ${device.id}`));
  assert.equal(await link.over, 0);

  const sent = await shell('send', `+${ANNA}`, 'Hello from the shell', '--json', '--once', 'first');
  assert.equal((await shell('send', `+${ANNA}`, 'Hello from the shell', '--once', 'first')).out, `Accepted: ${JSON.parse(sent.out).id}\n`);
  await gateway.until('Anna has it once', () => gateway.sandbox.phone(ANNA).messages(5).length === 1);
  gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Thanks \u001b[2J!' } });
  await inboxOf(gateway, api, path).receives(ANNA, 'Thanks \u001b[2J!');
  const chats = (await shell('chats', '--unread')).out;
  assert.match(chats, new RegExp(`\\+${ANNA} .* 1 +open .*Thanks \\[2J!`), 'and nothing of it reaches the terminal as an order');
  assert.match((await shell('chat', ANNA)).out, /> Hello from the shell {2}\((sent|delivered|read)\)\n.*< Thanks \[2J!/);
  assert.equal(JSON.parse((await shell('devices', '--json')).out).sessions[0].id, device.id);
  assert.match((await shell('send', ANNA, 'later', '--at', '2027-01-01T08:00')).out, /^Scheduled for 2027-01-01T08:00/);

  const drafted = JSON.parse((await shell('campaign', 'draft', 'Sale', 'Hi there', '--to', `+${ANNA}`, '--json')).out);
  assert.match((await shell('campaign', 'start', drafted.id)).out, new RegExp(`${drafted.id} +running`));
  assert.match((await shell('campaign', 'report', drafted.id)).out, new RegExp(`^"phone","status".*\n"\\+${ANNA}",`));
  assert.match((await shell('campaign', 'start', drafted.id)).err, /\(CONFLICT\)/);

  await gateway.clock.advance(3 * 3_600_000);
  assert.match((await shell('whoami')).out, /^Toko Acme \(admin\)/, 'a token that is over is renewed');
  assert.equal((await shell('sign-out')).out, 'Signed out.\n');
  assert.equal((await shell('whoami')).exitCode, 1);
});

it('the shell forwards signed events to a local address, and retries each until it is accepted', { timeout: 600_000 }, async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  const { shell, going, positions } = shellOf(t, gateway);
  const keyWith = async (scopes: readonly string[]) => (await tenant.api('POST', '/v1/api-keys', { name: 'Shell', scopes })).body.key;
  await shell('sign-in', '--key', await keyWith(['read', 'manage']));
  const tooMuch = await shell('listen', '--to', 'http://127.0.0.1:1/');
  assert.equal(tooMuch.exitCode, 1);
  assert.match(tooMuch.err, /create a key with only the scope read/);
  await shell('sign-in', '--key', await keyWith(['read']));

  const secret = 'a secret that only the two of us know';
  const taken: { type: string; isGenuine: boolean; standard: unknown }[] = [];
  const refused: string[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const { id, type } = JSON.parse(raw.toString());
    const isNew = !refused.includes(id);
    if (isNew) refused.push(id);
    else {
      const signature = `sha256=${createHmac('sha256', secret).update(raw).digest('base64')}`;
      taken.push({ type, isGenuine: request.headers['x-webhook-signature'] === signature, standard: request.headers['webhook-signature'] });
    }
    response.writeHead(isNew ? 503 : 204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => receiver.close());

  const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const listener = going('listen', '--to', to, '--secret', secret, '--events', 'message.sent', '--count', '1');
  await listener.line(/^Each event is posted/);
  await device.text(`+${ANNA}`, 'Hello');
  await listener.line(/503, retrying$/);
  await listener.line(/→ 204$/);
  assert.equal(await listener.over, 0);
  assert.deepEqual(
    taken.map(({ type, isGenuine }) => [type, isGenuine]),
    [['message.sent', true]],
  );
  assert.match(String(taken[0]?.standard), /^v1,/);

  await device.text(`+${ANNA}`, 'While nobody listens');
  await gateway.until('it arrives', () => gateway.sandbox.phone(ANNA).messages().length === 2);
  const again = going('listen', '--to', to, '--events', 'message.sent', '--count', '1');
  await again.line(/where it stopped/);
  await again.line(new RegExp(`signed with ${secret}$`));
  await again.line(/→ 204$/);
  assert.equal(await again.over, 0);
  assert.deepEqual(
    taken.map(({ isGenuine }) => isGenuine),
    [true, true],
    'the one that it missed, once, with the same secret',
  );
  const [file = ''] = readdirSync(positions).filter((name) => name.endsWith('.json'));
  assert.equal(statSync(join(positions, file)).mode & 0o777, 0o600, 'nobody else reads the secret');
  const fresh = going('listen', '--to', to, '--fresh', '--events', 'message.sent', '--count', '1');
  await fresh.line(/from now on/);
});

it('the shell asks for a second factor, and offers the cluster commands only to operators', { timeout: 600_000 }, async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const tenant = await gateway.signUp();
  const { shell } = shellOf(t, gateway);
  const { secret } = (await tenant.api('POST', '/v1/2fa/setup')).body;
  const app = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: gateway.clock.now() });
  await tenant.api('POST', '/v1/2fa/enable', { code: app() });
  await gateway.clock.advance(60_000);
  await shell('sign-in', '--phone', `+${tenant.phone}`);
  const code = codeOn(gateway.sandbox, tenant.phone);
  const signedIn = await shell('sign-in', '--phone', `+${tenant.phone}`, '--code', code, '--second-factor', app());
  assert.match(signedIn.out, /^Signed in as Acme/, signedIn.err);
  assert.match((await shell('cluster', 'nodes')).out, /^NODE +STATE/);
  assert.match((await shell('cluster', '--help')).out, /rebalance/);
});

it('the shell explains why a message, a scheduled message or a campaign is waiting', { timeout: 600_000 }, async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const tenant = await gateway.signUp();
  const { api } = tenant;
  const device = await tenant.linked(PHONE);
  const { shell } = shellOf(t, gateway);
  await shell('sign-in', '--key', (await api('POST', '/v1/api-keys', { name: 'Shell' })).body.key);
  const pacing = { min_delay_ms: 600_000, max_delay_ms: 600_000, typing: false };
  const settings = { send_window: { enabled: true, start: '08:00', end: '08:01', zone: 'business' }, pacing };
  assert.equal((await api('PUT', '/v1/settings', settings)).status, 200);
  await device.text(ANNA, 'one');
  const paced = await device.text(ANNA, 'two');
  const says = async (id: string, ...more: readonly string[]): Promise<string> => (await shell('why', id, ...more)).out.trim();
  assert.match(await says(paced), /^Queued \((pace|first_contact)\): .*`pacing` in the settings/);
  const campaign = { session_id: device.id, name: 'n', message_type: 'text', body: 'Hi', recipients: [{ phone: `+${ANNA}` }] };
  const { id } = (await api('POST', '/v1/blasts', campaign)).body;
  assert.match(await says(id), /^A draft: run `gateway campaign start`/);
  await api('POST', `/v1/blasts/${id}/start`, {});
  await gateway.until('it waits for the window', async () => (await api('GET', `/v1/blasts/${id}`)).body.resumes_at);
  assert.match(await says(id), /^Running \(send_window\): .* until \d{4}-\d\d-\d\d \d\d:\d\d\.$/);
  await gateway.during(api('POST', `${device.path}/disconnect`));
  assert.match(await says(paced, '--session', device.id), /^Queued \(offline\): the device is not connected/);
  const scheduled_at = gateway.clock.now() + 3_600_000;
  const planned = (await api('POST', `${device.path}/scheduled`, { chat_id: ANNA, type: 'text', body: 'x', scheduled_at })).body;
  assert.match(await says(planned.id), /^Scheduled for /);
  const nothing = await shell('why', '01JZX5ZB4T8QKX3N9V7C2M6D1E');
  assert.deepEqual([nothing.exitCode, /There is no message/.test(nothing.err)], [1, true]);
});

it('the shell reports invalid arguments in one line, and has help for every command', { timeout: 600_000 }, async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { shell } = shellOf(t, gateway);
  const cases = [
    [['dance'], 2, /Unknown command "dance"/],
    [['send', 'one'], 2, /Usage: gateway send <to> <text>/],
    [['campaign', 'dance'], 2, /"campaign" needs one of list, show/],
    [['chats', '--color'], 2, /Unknown option '--color'/],
    [['probe', 'device', '+6281234567890', '+6281211110002'], 2, /Ask both people first/],
    [['probe', 'device', '+6281234567890', '6281234567890', '--agreed'], 2, /two different numbers/],
    [['completion', 'tcsh'], 2, /bash, zsh or fish/],
    [['whoami', '--url', 'http://127.0.0.1:1'], 1, /You are not signed in/],
    [['sign-in', '--key', 'x', '--url', 'http://127.0.0.1:1'], 1, /No gateway answers at http:\/\/127\.0\.0\.1:1/],
  ] as const;
  for (const [args, exitCode, says] of cases) {
    const said = await shell(...args);
    assert.equal(said.exitCode, exitCode, said.err);
    assert.match(said.err, says);
    assert.equal(said.err.trim().split('\n').length, 1);
  }
  const { out } = await shell('--help');
  const names = [...out.matchAll(/^ {2}(\w[\w-]*(?: [a-z][\w-]*)?)/gm)].map(([, name]) => name!);
  assert.ok(names.length >= 20, names.join());
  assert.match((await shell('listen', '-h')).out, /--to URL/);
  const script = (await shell('completion', 'bash')).out;
  for (const name of names)
    assert.ok(
      name.split(' ').every((word) => script.includes(word)),
      name,
    );
});
