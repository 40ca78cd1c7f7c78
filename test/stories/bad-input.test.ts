import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { ANNA, type Api, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { type HostileRequest, hostileRequests } from '../support/hostile.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { expectListed } from '../support/listed-refusals.ts';
import { isNight } from '../support/night.ts';
import { eachStore } from '../support/stores.ts';

const MAX_CONCURRENT = 20;
/** A run for each change asks a part of them, another one each time; one of the night asks all. */
const EVERY = isNight ? 1 : 4;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** Rows that would end the story: the session, or all of it, goes with them. */
const LAST = ['logout', 'deleteSession', 'logOutSession', 'deleteAccount'];

eachStore('bad input', (kind) => {
  it(`is rejected with an error code in every field of every endpoint (SEED=${seed})`, async (t) => {
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const rows = gateway.node.http.rows.filter(({ id }) => !LAST.includes(id));
    const all = [...hostileRequests(rows, { sessionId: device.id, ...(await thingsToChange(gateway, acme.api, device.path)) })];
    assert.ok(all.length > 1_000, `${all.length} requests`);
    const requests = all.filter((_one, n) => n % EVERY === seed % EVERY);
    for (let at = 0; at < requests.length; at += MAX_CONCURRENT) {
      const some = requests.slice(at, at + MAX_CONCURRENT);
      const answers = await gateway.during(Promise.all(some.map((hostile) => send(gateway, acme.tokens.token, hostile))));
      for (const [n, answer] of answers.entries()) assertSane(some[n]!, answer);
    }
    assert.equal(await device.status(), 'connected');
    assert.equal(
      (await acme.api('GET', `${device.path}/messages`)).body.messages.filter(
        ({ direction }: { direction: string }) => direction === 'inbound',
      ).length,
      0,
    );
  });
});

interface Answered {
  readonly status: number;
  readonly body: string;
}

function assertSane({ row, title, mustRefuse, request: { path } }: HostileRequest, { status, body }: Answered): void {
  const shown = `${title} → ${status} ${body.slice(0, 200)}`;
  // A device is asked so often, and no more.
  const isTooMuch = status === 503 && JSON.parse(body).code === 'OVERLOADED';
  assert.ok(status < 500 || isTooMuch, shown);
  if (mustRefuse) assert.ok(status >= 400, shown);
  // What people ask for is answered to people.
  if (status === 404 && path.startsWith('/console/') && body.startsWith('<!doctype html>')) return;
  if (status < 400) return;
  const { code } = JSON.parse(body);
  assert.match(code, /^[A-Z_]+$/, shown);
  expectListed(row, { status, code }, shown);
}

/** One of each that can be changed: what its row is asked is then looked at, and not its id alone. */
async function thingsToChange({ clock }: Gateway, api: Api, path: string): Promise<Record<string, string>> {
  const scheduled_at = clock.now() + 365 * 86_400_000;
  const text = { chat_id: ANNA, type: 'text', body: 'Hi' };
  const rules = { all: [{ field: 'tag', op: 'is', value: 'vip' }] };
  const made: readonly (readonly [ids: readonly string[], path: string, body: object])[] = [
    [['changeScheduled.id'], `${path}/scheduled`, { ...text, scheduled_at }],
    [['changeRecurring.id'], `${path}/recurring`, { name: 'daily', targets: [ANNA], message: 'Hi', schedule_type: 'daily' }],
    [['changeAutoReply.ruleId'], `${path}/auto-reply`, { name: 'hi', trigger_type: 'any', reply_body: 'Hi' }],
    [['changeTemplate.id', 'previewTemplate.id'], '/v1/templates', { name: 'hi', message_type: 'text', body: 'Hi {name}' }],
    [['changeContact.id'], '/v1/contacts', { phone: ANNA }],
    [['changeSegment.id'], '/v1/segments', { name: 'VIP', rules }],
    // With keys of the official platform, it becomes another kind of device and is no longer a phone.
    [['updateSession.sessionId'], '/v1/sessions', {}],
    [['changeBlast.id'], '/v1/blasts', { session_id: path.split('/').at(-1), name: 'Sale', message_type: 'text', body: 'Hi' }],
  ];
  const known: Record<string, string> = {};
  for (const [ids, where, body] of made) {
    const answer = await api('POST', where, body);
    assert.equal(answer.status, 201, `${where}: ${JSON.stringify(answer.body)}`);
    for (const id of ids) known[id] = answer.body.id;
  }
  return known;
}

function send(gateway: Gateway, token: string, { request: { method, path, body, type } }: HostileRequest): Promise<Answered> {
  const headers = {
    authorization: `Bearer ${token}`,
    'x-admin-secret': gateway.node.secrets.admin,
    ...(type !== undefined && { 'content-type': type }),
    // Node's client frames a DELETE's body only when it is told to.
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const { hostname, port } = new URL(gateway.node.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, method, path, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    });
    sent.on('error', reject).end(body);
  });
}
