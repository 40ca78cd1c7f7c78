import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CLOSED, type ConnectionEvent } from '../../../../actors/network/port.ts';
import { type Random, seededRandom } from '../../../../runtime/random.ts';
import { LANES } from '../../../../store/messaging/messages.ts';
import { rowOf } from '../../../support/rows.ts';
import { CREDENTIAL, CREDENTIALS, DIGITS, factsOf, OPTIONS } from './device-fixture.ts';
import { DeviceHarness, type Question } from './device-harness.ts';

const MAX_CAMPAIGNS_WITHOUT_PACE = 16;
const RUNS = Number(process.env['RUNS'] ?? 300);
const SEED = Number(process.env['SEED'] ?? 1);
const STEPS = 200;
const DAY_MS = 86_400_000;

const QUESTIONS: readonly Question[] = [
  { type: 'connect' },
  { type: 'connect' },
  { type: 'disconnect' },
  { type: 'restart' },
  { type: 'logOut' },
  { type: 'pairByCode', digits: DIGITS },
  { type: 'answerPasskey', credential: CREDENTIAL },
  { type: 'confirmPasskey' },
  { type: 'lookUp', digits: [DIGITS] },
  { type: 'question', question: { name: 'groups.get', input: { id: '120363000000000001@g.us' } } },
  { type: 'question', question: { name: 'groups.list', input: {} } },
  { type: 'drain', must: false },
  { type: 'drain', must: true },
];

it(`a device keeps its invariants under random events in random order (SEED=${SEED}, RUNS=${RUNS})`, () => {
  for (let seed = SEED; seed < SEED + RUNS; seed += 1) {
    const trail: string[] = [];
    try {
      live(seed, trail);
    } catch (cause) {
      throw new Error(`seed ${seed}, after ${trail.slice(-12).join(' · ')}: ${(cause as Error).message}`, { cause });
    }
  }
});

/** One life: trouble of all kinds, then calm, in which everything must come right. */
function live(seed: number, trail: string[]): void {
  const life = new Life(seededRandom(seed), trail);
  for (let step = 0; step < STEPS && !life.harness.hasEnded; step += 1) life.something();
  life.calm();
}

class Life {
  readonly harness: DeviceHarness;
  readonly #random: Random;
  readonly #trail: string[];
  #serial = 0;
  /** Is a phone still linked to the credentials that the device holds? */
  #isKnown = false;

  constructor(random: Random, trail: string[]) {
    this.#random = random;
    this.#trail = trail;
    this.#isKnown = random() < 0.5;
    const linked = { credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' } as const;
    const pacing = random() < 0.5 ? { minDelayMs: 0, maxDelayMs: 0 } : { minDelayMs: 500, maxDelayMs: 2_000, typing: random() < 0.5 };
    this.harness = new DeviceHarness(factsOf({ ...(this.#isKnown && linked), pacing }));
    this.#check('the start');
  }

  something(): void {
    const what = this.#random();
    if (what < 0.45) this.#aRequestEnds();
    else if (what < 0.65) this.#theNetworkSpeaks();
    else if (what < 0.8) this.#somebodySpeaks();
    else if (what < 0.97) this.#step('tick', () => void this.harness.tick());
    else this.#step('clock', () => this.harness.setClock(Math.round((this.#random() - 0.5) * DAY_MS)));
  }

  /** From now on nothing fails: all who asked are answered, all that waits is sent, and what is shown is true. */
  calm(): void {
    const { harness } = this;
    this.#step('calm', () => harness.finish());
    if (!harness.hasEnded && harness.connection === null) this.#step('connect', () => harness.ask({ type: 'connect' }));
    for (let turn = 0; turn < 2_000 && !this.#isDone(); turn += 1) this.#calmTurn();
    assert.deepEqual([...harness.asks.values()], [], 'somebody was never answered');
    if (harness.hasEnded) return;
    assert.equal(harness.state.connection.phase, 'online');
    assert.equal(harness.stored.status, 'connected');
    assert.deepEqual(
      [...harness.rows.values()].filter(({ status }) => status === 'queued' || status === 'sending'),
      [],
    );
  }

  #calmTurn(): void {
    const { harness } = this;
    harness.finish();
    const { phase } = harness.state.connection;
    if (phase === 'linking' && !harness.state.facts.credentials) this.#say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    else if (phase === 'linking') this.#say({ type: 'closed', code: CLOSED.restart });
    else if (phase === 'connecting' && harness.connection !== null) this.#say({ type: 'opened', phone: DIGITS, name: null, about: null });
    else if (harness.unacked.size > 0) this.#settle('acked');
    else if ((phase === 'failed' || phase === 'down') && !harness.state.facts.wanted) harness.ask({ type: 'connect' });
    else this.#step('tick', () => void harness.tick());
    harness.finish();
  }

  #isDone(): boolean {
    const { harness } = this;
    if (harness.hasEnded) return true;
    const waits = [...harness.rows.values()].some(({ status }) => status === 'queued' || status === 'sending');
    return harness.state.connection.phase === 'online' && !waits && harness.asks.size === 0 && harness.inFlight.length === 0;
  }

  #aRequestEnds(): void {
    const request = this.#one(this.harness.ready);
    if (!request) return;
    const how = this.#random() < 0.9 || request.what === 'connect' || request.what === 'end of connection' ? 'well' : 'badly';
    this.#step(`${request.what} ${how}`, () => this.harness.end(request, how));
  }

  #somebodySpeaks(): void {
    const { harness } = this;
    const what = this.#random();
    if (what < 0.4) {
      const question = this.#one(QUESTIONS)!;
      return this.#step(question.type, () => harness.ask(question));
    }
    const id = `M${++this.#serial}`;
    if (what < 0.55) {
      const message = { netId: id, to: `${DIGITS}@s.whatsapp.net`, content: { type: 'text', body: 'code' }, quotes: null } as const;
      return this.#step('deliver', () => harness.ask({ type: 'deliver', message }));
    }
    harness.rows.set(id, { ...rowOf(id, harness.now), lane: this.#one([LANES.reply, LANES.campaign])! });
    this.#step('workArrived', () => harness.receive({ type: 'workArrived' }));
  }

  #theNetworkSpeaks(): void {
    const { harness } = this;
    const late = this.#random() < 0.1;
    if (harness.connection === null && !late) return;
    const said = this.#one(this.#sayings())!;
    if (said.type === 'acked' || said.type === 'refused') return this.#settle(said.type);
    this.#step(`${said.type}${late ? ' late' : ''}`, () =>
      harness.say(said, late ? (harness.connects.at(-2) ?? 0) : (harness.connection ?? 0)),
    );
  }

  #sayings(): readonly ConnectionEvent[] {
    const { harness } = this;
    const code = this.#one(Object.values(CLOSED))!;
    const known = this.#one([...harness.rows.keys()]) ?? 'nobody';
    const at = harness.now;
    return [
      { type: 'qr', qr: 'q', expiresAt: at + 20_000 },
      { type: 'passkeyAsked', options: OPTIONS, expiresAt: at + 60_000 },
      { type: 'passkeyConfirm', code: 'ABCD-1234', expiresAt: at + 60_000 },
      { type: 'linked', phone: DIGITS, credentials: CREDENTIALS },
      { type: 'opened', phone: DIGITS, name: null, about: null },
      { type: 'opened', phone: DIGITS, name: null, about: null },
      { type: 'credentials', credentials: CREDENTIALS },
      { type: 'acked', netId: known, at },
      { type: 'refused', netId: known, reason: 'no' },
      { type: 'receipt', token: 'R', netIds: [known, 'unknown'], status: 'delivered', at },
      {
        type: 'received',
        message: { netId: 'I', chat: '1@g.us', from: '1', fromName: null, content: { type: 'text', body: 'x' }, quotes: null, at },
      },
      { type: 'closed', code },
    ];
  }

  #settle(type: 'acked' | 'refused'): void {
    const { harness } = this;
    const netId = this.#one([...harness.unacked]);
    if (netId === undefined) return;
    harness.unacked.delete(netId);
    this.#say(
      type === 'acked' ? { type, netId, at: harness.now } : { type, netId, reason: this.#one(['no', 'refused_503', 'refused_429'])! },
    );
  }

  #say(said: ConnectionEvent): void {
    this.#step(said.type, () => this.harness.say(said));
  }

  #one<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }

  #step(what: string, run: () => void): void {
    this.#trail.push(what);
    const wasAsked = ['connect', 'pairByCode'].includes(what);
    const before = this.harness.state.connection.phase;
    this.harness.last = [];
    run();
    this.#check(what, before === 'failed' && !wasAsked);
  }

  #check(what: string, wasFailed = false): void {
    const { state, last, connects, inFlight, hasEnded } = this.harness;
    if (hasEnded) return;
    const did = last.map((effect) => effect.do);
    assert.equal(new Set(connects).size, connects.length, 'a number was dialled twice');
    assert.ok(!wasFailed || !did.includes('connect'), `${what}: a failed device dialled`);
    assert.ok(!did.includes('connect') || state.facts.wanted, `${what}: it dialled though nobody wants it online`);
    assert.ok(state.connection.phase === 'online' || state.sending.onTheWire.size === 0, 'something is on the wire of no connection');
    assert.deepEqual([...this.harness.strays], [], `${what}: sent while ${state.connection.phase}`);
    assert.ok(!state.draining || !did.includes('claim'), `${what}: claimed while draining`);
    const claims = inFlight.filter((request) => request.what === 'claim' || request.what === 'recover').length;
    assert.ok(claims <= connects.length && did.filter((one) => one === 'claim' || one === 'recover').length <= 1, 'claimed twice at once');
    assert.ok(this.harness.stored.status !== 'disconnected' || state.facts.phone !== null, 'disconnected, though it was never linked');
    const taken = [...this.harness.rows.values()].filter(({ status, lane }) => status === 'sending' && lane === LANES.campaign);
    const underWay = taken.filter(({ net_id }) => !this.harness.answered.has(net_id));
    const most = state.facts.pacing.maxDelayMs > 0 ? 1 : MAX_CAMPAIGNS_WITHOUT_PACE;
    assert.ok(underWay.length <= most, `${what}: ${underWay.length} messages of campaigns at once`);
    for (const { net_id, status } of this.harness.rows.values())
      assert.ok(!state.sending.onTheWire.has(net_id) || status !== 'queued', `${net_id} is on the wire and queued`);
  }
}
