import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';

type Answer = { readonly status: number; readonly body?: unknown };

/** A tab: what its page asks of the gateway, which answers as it is told, and how often it was loaded again. */
const tab = { asked: [] as string[], answers: {} as Record<string, Answer[]>, loads: 0 };

/** What tabs tell each other keeps no process alive. */
class QuietChannel extends BroadcastChannel {
  constructor(name: string) {
    super(name);
    this.unref();
  }
}

Object.assign(globalThis, {
  BroadcastChannel: QuietChannel,
  document: { documentElement: { dataset: {} } },
  location: {
    reload() {
      tab.loads += 1;
    },
  },
  async fetch(path: string, { method, headers }: { method: string; headers: Record<string, string> }): Promise<Response> {
    tab.asked.push(`${method} ${path} ${headers['authorization'] ?? ''}`.trim());
    const answer = tab.answers[`${method} ${path}`]?.shift();
    if (!answer) throw new TypeError(`nobody answers ${path}`);
    const { status, body } = answer;
    return new Response(status === 204 ? null : JSON.stringify(body ?? {}), { status, headers: { 'content-type': 'application/json' } });
  },
});

/** Named here, because the types of a browser are not those of the tests. */
interface Session {
  readonly person: { value: { readonly agent_id: string } | null | undefined };
  readonly unreachable: { readonly value: { readonly status: number } | null };
  resume(): Promise<void>;
  signIn(proof: unknown): Promise<string | null>;
  signInNow(): number;
  signOut(): Promise<void>;
}
interface Client {
  call(id: string, input: unknown, options: { readonly signIn?: number }): Promise<unknown>;
}
const APP = '../../../../../http/console/app';
const { call }: Client = await import(`${APP}/api/client.ts`);
const { person, resume, signInNow, signIn, signOut, unreachable }: Session = await import(`${APP}/state/session.ts`);

const HOUR_MS = 3_600_000;
const grant = (who: string, token = `token of ${who}`): Answer => ({
  status: 200,
  body: { token, expires_at: Date.now() + HOUR_MS, role: 'agent', agent_id: who, agent_name: who },
});
const me = (who: string): Answer => ({ status: 200, body: { tenant_id: 't', role: 'agent', agent_id: who } });
const caller = (): string | undefined => person.value?.agent_id;
const profile: Answer = { status: 200, body: { timezone: 'Asia/Jakarta' } };
const no = (status: number): Answer => ({ status, body: { error: 'no', code: 'UNAUTHORIZED' } });
const done: Answer = { status: 200, body: { id: 'm', status: 'queued' } };

const PROFILE = 'GET /v1/profile';
const SEND = 'POST /v1/sessions/s/messages';
const REFRESH = 'POST /console/session/refresh';
const send = (under?: number): Promise<unknown> =>
  call(
    'sendMessage',
    { params: { sessionId: 's' }, body: { chat_id: 'c', type: 'text', body: 'hi' } },
    under === undefined ? {} : { signIn: under },
  );
const sentAs = (): readonly string[] => tab.asked.filter((one) => one.startsWith(SEND)).map((one) => one.slice(SEND.length + 1));

beforeEach(async () => {
  Object.assign(tab, { asked: [], loads: 0, answers: { [REFRESH]: [grant('ani')], 'GET /v1/me': [me('ani')], [PROFILE]: [profile] } });
  await resume();
  assert.equal(person.value?.agent_id, 'ani');
});

it('a console session renews an expired access token only for the same user', async () => {
  Object.assign(tab.answers, { [SEND]: [no(401), done], [REFRESH]: [grant('ani', 'token 2')] });
  await send();
  assert.deepEqual([sentAs(), tab.loads], [['Bearer token of ani', 'Bearer token 2'], 0]);
});

it('a console session reloads the page instead of sending if another user signed in from another tab', async () => {
  Object.assign(tab.answers, { [SEND]: [no(401), done], [REFRESH]: [grant('budi')] });
  await assert.rejects(send(), { code: 'UNAUTHORIZED' });
  assert.deepEqual([sentAs(), person.value, tab.loads], [['Bearer token of ani'], undefined, 1]);
});

it('a console session drops requests that began before a new sign-in', async () => {
  const before = signInNow();
  tab.answers['DELETE /console/session'] = [done];
  await signOut();
  assert.equal(person.value, null);
  Object.assign(tab.answers, {
    'POST /console/session': [grant('budi')],
    'GET /v1/me': [me('budi')],
    [PROFILE]: [profile],
    [SEND]: [done],
  });
  assert.equal(await signIn({ phone: '+62', code: '204816' }), null);
  await assert.rejects(send(before), { code: 'UNAUTHORIZED' });
  await send();
  assert.deepEqual(sentAs(), ['Bearer token of budi']);
});

it('a console session survives an unreachable gateway, and retries', async () => {
  person.value = undefined;
  tab.answers[REFRESH] = [no(503), grant('ani')];
  await resume();
  assert.deepEqual([person.value, unreachable.value?.status], [undefined, 503]);
  Object.assign(tab.answers, { 'GET /v1/me': [me('ani')], [PROFILE]: [profile] });
  await resume();
  assert.deepEqual([person.value, unreachable.value], [{ tenant_id: 't', role: 'agent', agent_id: 'ani' }, null]);
});

it('a console session begins without a profile only if the account is being deleted', async () => {
  for (const [status, who] of [
    [403, 'ani'],
    [503, undefined],
  ] as const) {
    person.value = undefined;
    Object.assign(tab.answers, { [REFRESH]: [grant('ani')], 'GET /v1/me': [me('ani')], [PROFILE]: [no(status)] });
    await resume();
    assert.equal(caller(), who, `${status}`);
  }
});
