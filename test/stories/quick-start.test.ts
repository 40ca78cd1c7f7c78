import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { steps } from '../../http/openapi/guide.ts';
import { aDirectory } from '../support/stores.ts';
import { blocksOf, inShell, requestsOf } from './printed/pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUN = join(ROOT, 'scripts/commands/run.js');

/** Pages whose requests are not run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'docs/moving-in.md': 'a move watches the old program for five minutes',
  'docs/numbers.md': 'its second request needs two people whom the network joined',
  'docs/runbook-nodes.md': 'its requests repair faults that a new gateway does not have',
  'docs/runbook.md': 'its requests repair faults that a new gateway does not have',
};
const ADMIN_SECRET = 'the secret of the operator of this story';
const DAY_MS = 86_400_000;
/** 20:30 in Jakarta, as ms of the day in UTC. The send window of a new business is closed then, and the examples must work. */
const EVENING_MS = 13.5 * 3_600_000;
/** Moves the clock of a process to the next evening. */
const inTheEvening = (): string => {
  const ahead = (EVENING_MS + DAY_MS - (Date.now() % DAY_MS)) % DAY_MS;
  return `--import=data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()+${ahead}`)}`;
};
const RUN_HERE = [
  ...['README.md', 'docs/ai.md', 'docs/api.md', 'docs/billing.md', 'docs/official-messages.md', 'docs/official.md'],
  ...['docs/sending.md', 'docs/webhooks.md'],
];

it('all requests in the quick start and on other documentation pages work as printed', { timeout: 240_000 }, async (t) => {
  const { MONGODB_URL: _store, REDIS_URL: _cluster, ...env } = process.env;
  const child = spawn(process.execPath, [RUN, 'start'], {
    env: { ...env, NODE_OPTIONS: inTheEvening(), ADMIN_SECRET, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: aDirectory(t) },
  });
  t.after(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (/http:\/\/[\w.]+:\d+/.test(line)) break;
  }
  const address = /http:\/\/[\w.]+:\d+/.exec(lines.join('\n'))?.[0] ?? '';
  const ready = async (): Promise<boolean> => (await fetch(`${address}/ready`)).ok;
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 100));
  const page = await (await fetch(`${address}/docs/api`)).text();
  for (const [en, id] of steps(address)) assert.ok(page.includes(en) && page.includes(id), en);
  assert.match(await (await fetch(`${address}/llms.txt`)).text(), /^# Business Messaging Gateway/);

  const session = `${address}/v1/sessions/$ID`;
  const until = (path: string, text: string): string =>
    `until curl -s -H "Authorization: Bearer $TOKEN" "${session}${path}" | grep -q '${text}'; do sleep 0.1; done`;
  // What a person does between two lines: look whether the one before is done.
  const waits: Readonly<Record<number, string>> = {
    2: until('/qr', '"qr"'),
    3: until('', '"connected"'),
    5: until('/messages?direction=inbound', 'Hello!'),
  };
  const script = steps(address).flatMap(([, , code], nth) => [code, waits[nth] ?? '']);
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script.join('\n')], { timeout: 90_000 });
  assert.match(stdout, /"status":"queued"/);

  await t.test('sign-in from the README and every printed request of a page work unchanged', () => pagesOf(address, aDirectory(t)));
});

/** Every printed request, in the order in which a reader needs them: the address and what stands for a reader's own values are filled in. */
async function pagesOf(address: string, directory: string): Promise<void> {
  const here = (code: string): string => code.replaceAll('http://127.0.0.1:8080', address);
  const [signUp = ''] = requestsOf('README.md');
  const [register = '', ...signIn] = signUp.split('\n');
  assert.equal(here(register), steps(address)[0]?.[2]);
  assert.match(readFileSync(join(ROOT, 'README.md'), 'utf8'), /`\/auth\/request-otp` with the phone sends a new code/);
  const again = register.replace('/auth/register', '/auth/request-otp').replace('"name": "Toko Acme", ', '');
  const signedIn = await inShell(here([again, ...signIn].join('\n')), {}, directory);
  const TOKEN = /"token":"([^"]+)"/.exec(signedIn)?.[1] ?? '';
  assert.notEqual(TOKEN, '', signedIn);
  const { exp } = JSON.parse(Buffer.from(TOKEN.split('.')[1] ?? '', 'base64url').toString());
  assert.ok(new Date((Number(exp) + 7 * 3_600) * 1_000).getUTCHours() >= 20, 'it is evening in Jakarta');

  const auth = `-H "Authorization: Bearer ${TOKEN}"`;
  const until = (path: string, text: string): string =>
    `until curl -s ${auth} "${address}/v1/sessions/$SESSION${path}" | grep -q '${text}'; do sleep 0.1; done\n`;
  const [link = ''] = requestsOf('docs/api.md');
  // A person looks whether a step is done before they take the next one.
  const patient = link.replace('# Show', `${until('/qr', '"qr"')}# Show`).replace('# Send', `${until('', '"connected"')}# Send`);
  const sent = await inShell(`${here(patient.replace('<token>', TOKEN))}\necho " session=$SESSION"`, {}, directory);
  assert.match(sent, /"status":"queued"[\s\S]*"messages":\[\{/);

  const as = { GATEWAY: address, AUTH: `Authorization: Bearer ${TOKEN}`, SESSION: / session=(\w+)/.exec(sent)?.[1] ?? '' };
  const [sendOnce = ''] = requestsOf('docs/sending.md');
  const { id: sentId, ...first } = JSON.parse(await inShell(sendOnce, as, directory));
  assert.deepEqual(first, { status: 'queued', wa_message_id: null });
  const [printedReplay = ''] = blocksOf('docs/sending.md', 'json');
  assert.deepEqual(JSON.parse(await inShell(sendOnce, as, directory)), { ...JSON.parse(printedReplay), id: sentId });
  const [createWebhook = ''] = requestsOf('docs/webhooks.md');
  assert.match(await inShell(createWebhook, as, directory), /"url":"https:\/\/shop\.example\.com\/hooks"/);

  const [pay = ''] = requestsOf('docs/billing.md');
  const paid = await inShell(here(pay), { TOKEN }, directory);
  assert.match(paid, /"plan":"pro"/);
  const texts = here(pay.trim().split('\n').at(-1) ?? '');
  await inShell(`until ${texts} | grep -q Kuitansi; do sleep 0.1; done`, {}, directory);

  const [prices = '', number = '', connect = ''] = requestsOf('docs/official.md');
  const [template = '', send = '', buttons = ''] = requestsOf('docs/official-messages.md');
  assert.match(await inShell(here(prices), { ADMIN_SECRET }, directory), /"currency":"USD"/);
  const made = JSON.parse(await inShell(here(number), {}, directory));
  const filled = connect.replaceAll(/"(\w+)": "…"/g, (_all, name: string) => `"${name}": "${made[name]}"`);
  const [create = '', ...afterwards] = filled.split(/\n(?=curl)/);
  const { id: ID } = JSON.parse(await inShell(here(create), { TOKEN }, directory));
  await inShell(here(afterwards.join('\n')), { TOKEN, ID }, directory);
  const { id: TEMPLATE } = JSON.parse(await inShell(here(template), { TOKEN, ID }, directory));
  await inShell(judged(address, made.phone_number_id), {}, directory);
  const isApproved = `until curl -s ${auth} ${address}/v1/templates/${TEMPLATE} | grep -q '"status":"approved"'; do sleep 0.1; done`;
  assert.match(await inShell(`${isApproved}\n${here(send)}`, { TOKEN, ID, TEMPLATE }, directory), /"status":"queued"/);
  const came = `until curl -s ${auth} "${address}/v1/sessions/${ID}/messages?direction=inbound" | grep -q '"Halo"'; do sleep 0.1; done`;
  assert.match(await inShell(`${answered(address)}\n${came}\n${here(buttons)}`, { TOKEN, ID }, directory), /"status":"queued"/);

  writeFileSync(join(directory, 'price-list.pdf'), '%PDF-1.4\n');
  const [upload = ''] = requestsOf('docs/ai.md');
  assert.match(await inShell(here(upload), { TOKEN }, directory), /"status":"(?:uploading|parsing|ready|failed)"/);
}

/** The person writes to the number, which opens their window. */
const answered = (address: string): string =>
  `curl -s ${address}/sandbox/phones/+6281234567890/messages --json '{"to": "+6281100000077", "body": "Halo"}'`;

const judged = (address: string, number: string): string =>
  `curl -s -X PATCH ${address}/sandbox/official/${number} --json '{"templates": {"order_ready:en_US": "approved"}}'`;

it('every documentation page whose requests are not tested is listed with a reason', () => {
  const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((name) => name.endsWith('.md'));
  const printing = pages.filter((page) => requestsOf(page).length > 0);
  assert.deepEqual(printing, [...RUN_HERE, ...Object.keys(NOT_RUN)].toSorted());
});

it('the code in docs/webhooks.md accepts genuine signatures and rejects all others', async (t) => {
  const page = 'docs/webhooks.md';
  const directory = aDirectory(t);
  const [raw, secret] = ['{"type":"webhook.test"}', 'a secret of a receiver'];
  const signature = `sha256=${createHmac('sha256', secret).update(raw).digest('base64')}`;
  const own = { RAW: raw, SECRET: secret, GOOD: signature, BAD: signature.replace(/.=$/, 'x=') };

  const [check = '', standard = ''] = blocksOf(page, 'ts');
  writeFileSync(join(directory, 'check.ts'), check);
  const { isGenuine } = await import(join(directory, 'check.ts'));
  const said = [own.GOOD, own.BAD, undefined].map((header) => isGenuine(Buffer.from(raw), header, secret));
  assert.deepEqual(said, [true, false, false]);

  const [python = ''] = blocksOf(page, 'python');
  const asked = ['GOOD', 'BAD', 'MISSING'].map(
    (name) => `print(is_genuine(os.environ["RAW"].encode(), os.environ.get("${name}"), os.environ["SECRET"]))`,
  );
  writeFileSync(join(directory, 'check.py'), `import os\n${python}\n${asked.join('\n')}\n`);
  assert.match(await inShell('python3 check.py', own, directory), /^True\nFalse\nFalse\n/);

  const [php = ''] = blocksOf(page, 'php');
  const lines = ['GOOD', 'BAD', 'MISSING'].map(
    (name) => `echo json_encode(is_genuine(getenv('RAW'), getenv('${name}') ?: null, getenv('SECRET'))), "\\n";`,
  );
  writeFileSync(join(directory, 'check.php'), `<?php\n${php}\n${lines.join('\n')}\n`);
  assert.match(await inShell('php check.php', own, directory), /^true\nfalse\nfalse\n/);

  const command = /SECRET="(whsec_[^"]*)"/.exec(readFileSync(join(ROOT, page), 'utf8'))?.[1] ?? '';
  const made = (await inShell(`echo "${command}"`, {}, directory)).trim();
  const [id, at] = ['evt_1', Math.floor(Date.now() / 1000)];
  const key = Buffer.from(made.replace('whsec_', ''), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${at}.${raw}`).digest('base64');
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signed}` };
  const [, ...statements] = standard.split('\n');
  const verify = new Function('Webhook', 'process', 'rawBody', 'request', `${statements.join('\n')}\nreturn event;`);
  assert.deepEqual(verify(Webhook, { env: { WEBHOOK_SECRET: made } }, raw, { headers }), JSON.parse(raw));
});
