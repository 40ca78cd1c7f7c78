import { type Random, seededRandom } from '../../runtime/random.ts';
import { codeOn } from '../support/one-time-code.ts';
import type { Ledger, Outgoing, SimCampaign } from './ledger.ts';
import { contentOf, type SimDevice, type SimTenant, shownBy } from './tenants.ts';
import { type Answer, NoAnswer, type World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const ATTEMPTS = 14;
/** Order of message statuses. A caller never sees a message go back. */
const RANK: Readonly<Record<string, number>> = { queued: 0, sent: 1, delivered: 2, read: 3 };

export const streamOf = (seed: number, name: string): Random =>
  seededRandom([...`${seed} ${name}`].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5));

export const pickBy = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

interface Order {
  readonly tenant: Pick<SimTenant, 'headers'>;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly key: string;
  readonly ok: readonly number[];
}

/**
 * Programs of tenants and their customers. Each action has a name and its own random stream, so leaving one out does
 * not change the others. Like careful clients, they repeat a call with the same key on any running node.
 */
export class Callers {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #tenants: readonly SimTenant[];

  constructor(world: World, ledger: Ledger, tenants: readonly SimTenant[]) {
    this.#world = world;
    this.#ledger = ledger;
    this.#tenants = tenants;
  }

  /**
   * Sends or schedules a message. A fifth of the callers call a second node while the first call is still in progress.
   */
  async send(random: Random, name: string, kind: Outgoing['kind']): Promise<void> {
    const world = this.#world;
    const tenant = pickBy(random, this.#tenants);
    const device = pickBy(random, tenant.devices);
    const to = pickBy(random, tenant.people);
    const one: Outgoing = {
      ...{ key: `key-${name}`, kind, tenant: tenant.id, device: device.id, to, text: shownBy(device, `text number ${name}`) },
      ...{ id: null, refused: null, gaveUp: false, cancelled: false, statuses: [], rank: -1 },
    };
    this.#ledger.outgoing.push(one);
    const later = kind === 'scheduled' && { scheduled_at: world.time.now() + MINUTE + Math.floor(random() * 8 * MINUTE) };
    const expires = kind === 'send' && random() < 0.1 && { expires_at: world.time.now() + 2 * MINUTE };
    const order: Order = {
      tenant,
      method: 'POST',
      path: `${device.path}/${kind === 'send' ? 'messages' : 'scheduled'}`,
      body: { chat_id: `+${to}`, type: 'text', ...contentOf(device, `text number ${name}`), ...later, ...expires },
      key: one.key,
      ok: [201, 202],
    };
    if (random() < 0.2) void this.insist(random, order).then((answer) => this.#told(one, answer));
    this.#told(one, await this.insist(random, order));
    if (kind === 'scheduled' || one.id === null) return;
    if (random() < 0.1) await this.#cancel(random, tenant, device, one);
    await this.#watch(random, tenant, device, one);
  }

  #told(one: Outgoing, answer: Answer | null): void {
    const { history } = this.#world;
    if (answer === null) {
      one.gaveUp ||= one.id === null;
      return;
    }
    const code = `${answer.status} ${answer.body?.code ?? ''}`;
    if (answer.status === 201 || answer.status === 202) {
      if (one.id !== null && one.id !== answer.body.id)
        history.violated('one key, one id', `${one.key} made ${one.id} and ${answer.body.id}`);
      one.id = answer.body.id;
      history.names.set(answer.body.id, one.key);
    } else if (one.id === null) one.refused = code;
    else history.violated('one key, one answer', `${one.key} was accepted and refused (${code})`);
  }

  async #cancel(random: Random, tenant: SimTenant, device: SimDevice, one: Outgoing): Promise<void> {
    const path = `${device.path}/messages/${one.id}/cancel`;
    const answer = await this.insist(random, { tenant, method: 'POST', path, key: `c-${one.key}`, ok: [200] });
    if (answer?.status === 200) one.cancelled = true;
  }

  /** Polls a message from time to time, on any node. */
  async #watch(random: Random, tenant: SimTenant, device: SimDevice, one: Outgoing): Promise<void> {
    const { history } = this.#world;
    for (let look = 0; look < 6; look += 1) {
      await this.#world.pause(random() * 40 * SECOND);
      const answer = await this.#once(random, { tenant, method: 'GET', path: `${device.path}/messages/${one.id}` });
      if (answer?.status === 404) history.violated('accepted is kept', `${one.key} was accepted, and is not there`);
      if (answer?.status !== 200) continue;
      const { status } = answer.body;
      one.statuses.push(status);
      const rank = RANK[status];
      if (rank !== undefined && rank < one.rank) history.violated('status only forward', `${one.key} went back: ${one.statuses}`);
      if (rank !== undefined) one.rank = rank;
      if (one.cancelled && status !== 'cancelled') history.violated('cancelled is final', `${one.key} was cancelled, and is ${status}`);
    }
  }

  /** Sends a message from a customer to a business. */
  write(random: Random, name: string, isStop: boolean): void {
    const { history, sandbox } = this.#world;
    const tenant = pickBy(random, this.#tenants);
    const device = pickBy(random, tenant.devices);
    const from = pickBy(random, tenant.people);
    const text = isStop ? 'STOP' : `question ${name}`;
    history.note(`${from} writes "${text}" to ${device.phone}`);
    this.#ledger.incoming.push({ tenant: tenant.id, from, to: device.phone, text });
    sandbox.phone(from).write({ to: device.phone, content: { type: 'text', body: text } });
  }

  async campaign(random: Random, name: string, hasOptedOut: (tenant: SimTenant, phone: string) => boolean): Promise<void> {
    const tenant = pickBy(random, this.#tenants);
    const device = pickBy(random, tenant.devices);
    const text = shownBy(device, `sale ${name}`);
    const recipients = tenant.people.map((phone) => ({ phone }));
    const body = { session_id: device.id, name: `S-${name}`, message_type: 'text', ...contentOf(device, `sale ${name}`), recipients };
    const made = await this.insist(random, { tenant, method: 'POST', path: '/v1/blasts', body, key: `b-${name}`, ok: [201] });
    if (made?.status !== 201) return;
    const { id } = made.body;
    this.#world.history.names.set(id, `campaign ${name}`);
    const madeAt = this.#world.time.monotonic();
    const excluded = tenant.people.filter((phone) => hasOptedOut(tenant, phone));
    const one: SimCampaign = { tenant: tenant.id, text, id, people: tenant.people, excluded, madeAt, started: false, cancelled: false };
    this.#ledger.campaigns.push(one);
    const start = { tenant, method: 'POST', path: `/v1/blasts/${id}/start`, body: { consent_attested: true }, ok: [200, 202] };
    if (random() < 0.3) void this.insist(random, { ...start, key: `t-${name}` });
    const started = await this.insist(random, { ...start, key: `s-${name}` });
    one.started = started !== null && started.status < 300;
    for (const order of ['pause', 'resume', 'cancel']) {
      if (random() >= 0.3) continue;
      await this.#world.pause(random() * 3 * SECOND);
      const path = `/v1/blasts/${id}/${order}`;
      const answer = await this.insist(random, { tenant, method: 'POST', path, key: `${order}-${name}`, ok: [200] });
      if (order === 'cancel' && answer?.status === 200) one.cancelled = true;
    }
  }

  /** Cancels a scheduled message. */
  async unschedule(random: Random, name: string): Promise<void> {
    const waiting = this.#ledger.outgoing.filter(({ kind, id, cancelled }) => kind === 'scheduled' && id !== null && !cancelled);
    if (waiting.length === 0) return;
    const one = pickBy(random, waiting);
    const tenant = this.#tenants.find(({ id }) => id === one.tenant)!;
    one.gaveUp = true;
    const path = `/v1/sessions/${one.device}/scheduled/${one.id}`;
    const answer = await this.insist(random, { tenant, method: 'DELETE', path, key: `u-${name}`, ok: [200, 204] });
    if (answer && answer.status < 300) one.cancelled = true;
  }

  /** Changes a person's consent, possibly while that person writes. */
  async decide(random: Random, name: string): Promise<void> {
    const tenant = pickBy(random, this.#tenants);
    const phone = pickBy(random, tenant.people);
    const body = { status: random() < 0.5 ? 'opted_out' : 'opted_in' };
    const { optIns } = this.#ledger;
    const person = `${tenant.id}:${phone}`;
    if (body.status === 'opted_in') optIns.set(person, Number.POSITIVE_INFINITY);
    await this.insist(random, { tenant, method: 'PUT', path: `/v1/consent/${phone}`, body, key: `d-${name}`, ok: [200] });
    // A frozen node may write after its caller gave up.
    if (body.status === 'opted_in') optIns.set(person, this.#world.time.monotonic() + MINUTE);
  }

  /** Disconnects a device for a while. */
  async takeOff(random: Random, name: string): Promise<void> {
    const tenant = pickBy(random, this.#tenants);
    const { path } = pickBy(random, tenant.devices);
    await this.insist(random, { tenant, method: 'POST', path: `${path}/disconnect`, key: `x-${name}`, ok: [200, 202, 204] });
    await this.#world.pause(random() * 20 * SECOND);
    await this.insist(random, { tenant, method: 'POST', path: `${path}/connect`, key: `y-${name}`, ok: [200, 202, 204] });
  }

  /** Signs up a tenant, with the code submitted to two nodes at the same time. */
  async signUp(random: Random, name: string): Promise<void> {
    const phone = `62899${String(1_000_000 + Number(name.slice(1)))}`;
    const one = { phone, tenants: new Set<string>() };
    this.#ledger.newcomers.push(one);
    const nobody = { headers: {} };
    const body = { name: `New ${name}`, phone: `+${phone}` };
    await this.insist(random, { tenant: nobody, method: 'POST', path: '/auth/register', body, key: `r-${name}`, ok: [200] });
    for (let look = 0; look < 30; look += 1) {
      await this.#world.pause(2 * SECOND);
      const code = codeOn(this.#world.sandbox, phone);
      if (code === '') continue;
      const verify = { tenant: nobody, method: 'POST', path: '/auth/verify-otp', body: { phone, code }, key: `v-${name}`, ok: [200] };
      const signIn = async (): Promise<void> => {
        const answer = await this.insist(random, verify);
        if (answer?.status !== 200) return;
        const tenant = { headers: { authorization: `Bearer ${answer.body.token}` } };
        const me = await this.insist(random, { tenant, method: 'GET', path: '/v1/me', key: `m-${name}`, ok: [200] });
        if (me?.status === 200) one.tenants.add(me.body.tenant_id);
      };
      await Promise.all([signIn(), signIn()]);
      return;
    }
  }

  /** Follows the event log with the cursor of the last response. Never ends. */
  async follow(tenant: SimTenant): Promise<void> {
    const random = streamOf(this.#world.seed, `follow ${tenant.name}`);
    const seen = new Map<string, number>();
    this.#ledger.pulled.set(tenant.id, seen);
    let after = '';
    for (;;) {
      await this.#world.pause(4_000 + random() * 16_000);
      const answer = await this.#once(random, { tenant, method: 'GET', path: `/v1/events/pull?limit=50${after && `&after=${after}`}` });
      if (answer?.status !== 200) continue;
      for (const { id } of answer.body.events) seen.set(id, (seen.get(id) ?? 0) + 1);
      after = answer.body.next;
    }
  }

  /** Makes one request; returns null if no response came. */
  async #once(random: Random, { tenant, method, path }: Pick<Order, 'tenant' | 'method' | 'path'>): Promise<Answer | null> {
    const up = this.#world.running();
    if (up.length === 0) return null;
    return await this.#world.call(pickBy(random, up), { method, path, headers: tenant.headers, random }).catch(noAnswer);
  }

  /** Repeats a request; returns null if the caller gave up without a result. */
  async insist(random: Random, { tenant, method, path, body, key, ok }: Order): Promise<Answer | null> {
    const world = this.#world;
    const headers = { ...tenant.headers, 'idempotency-key': key };
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const up = world.running();
      if (up.length > 0) {
        const answer = await world.call(pickBy(random, up), { method, path, body, headers, random }).catch(noAnswer);
        if (answer === null) this.#ledger.noAnswers += 1;
        const told = answer === null ? 'no answer' : `${answer.status} ${answer.body?.code ?? answer.body?.status ?? ''} by ${answer.by}`;
        world.history.note(`${method} ${path} (${key}): ${told}`);
        if (answer && answer.status === 500) world.history.violated('no 500', `${method} ${path}: ${JSON.stringify(answer.body)}`);
        if (answer && (ok.includes(answer.status) || !isRetried(answer))) return answer;
      }
      await world.pause(500 * 1.6 ** attempt * (0.5 + random()));
    }
    return null;
  }
}

function noAnswer(cause: unknown): null {
  if (cause instanceof NoAnswer) return null;
  throw cause;
}

const isRetried = ({ status, body }: Answer): boolean =>
  status >= 500 || status === 429 || status === 408 || (status === 409 && body?.code === 'IDEMPOTENCY_IN_PROGRESS');
