import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CLOSED, type LineEvent } from '../../actors/network/port.ts';
import { type Chance, seededChance } from '../../runtime/chance.ts';
import { LANES } from '../../store/messages.ts';
import { CREDENTIAL, CREDENTIALS, DIGITS, factsOf, OPTIONS } from './facts.ts';
import { Puppet, type Question } from './puppet.ts';
import { rowOf } from './rows.ts';

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
  { type: 'drain', must: false },
  { type: 'drain', must: true },
];

it(`a device keeps its promises whatever happens in whatever order (SEED=${SEED}, RUNS=${RUNS})`, () => {
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
  const life = new Life(seededChance(seed), trail);
  for (let step = 0; step < STEPS && !life.puppet.hasEnded; step += 1) life.something();
  life.calm();
}

class Life {
  readonly puppet: Puppet;
  readonly #chance: Chance;
  readonly #trail: string[];
  #serial = 0;
  /** Is a phone still linked to the credentials that the device holds? */
  #isKnown = false;

  constructor(chance: Chance, trail: string[]) {
    this.#chance = chance;
    this.#trail = trail;
    this.#isKnown = chance() < 0.5;
    const linked = { credentials: CREDENTIALS, phone: DIGITS, wanted: true, status: 'connected' } as const;
    const pacing = chance() < 0.5 ? { minDelayMs: 0, maxDelayMs: 0 } : { minDelayMs: 500, maxDelayMs: 2_000, typing: chance() < 0.5 };
    this.puppet = new Puppet(factsOf({ ...(this.#isKnown && linked), pacing }));
    this.#check('the start');
  }

  something(): void {
    const what = this.#chance();
    if (what < 0.45) this.#anErrandEnds();
    else if (what < 0.65) this.#theNetworkSpeaks();
    else if (what < 0.8) this.#somebodySpeaks();
    else if (what < 0.97) this.#step('tick', () => void this.puppet.tick());
    else this.#step('clock', () => this.puppet.setClock(Math.round((this.#chance() - 0.5) * DAY_MS)));
  }

  /** From now on nothing fails: all who asked are answered, all that waits is sent, and what is shown is true. */
  calm(): void {
    const { puppet } = this;
    this.#step('calm', () => puppet.finish());
    if (!puppet.hasEnded && puppet.line === null) this.#step('connect', () => puppet.ask({ type: 'connect' }));
    for (let turn = 0; turn < 2_000 && !this.#isDone(); turn += 1) this.#calmTurn();
    assert.deepEqual([...puppet.asks.values()], [], 'somebody was never answered');
    if (puppet.hasEnded) return;
    assert.equal(puppet.state.line.phase, 'online');
    assert.equal(puppet.stored.status, 'connected');
    assert.deepEqual(
      [...puppet.rows.values()].filter(({ status }) => status === 'queued' || status === 'sending'),
      [],
    );
  }

  #calmTurn(): void {
    const { puppet } = this;
    puppet.finish();
    const { phase } = puppet.state.line;
    if (phase === 'linking' && !puppet.state.facts.credentials) this.#say({ type: 'linked', phone: DIGITS, credentials: CREDENTIALS });
    else if (phase === 'linking') this.#say({ type: 'closed', code: CLOSED.restart });
    else if (phase === 'connecting' && puppet.line !== null) this.#say({ type: 'opened', phone: DIGITS, name: null, about: null });
    else if (puppet.unacked.size > 0) this.#settle('acked');
    else if ((phase === 'failed' || phase === 'down') && !puppet.state.facts.wanted) puppet.ask({ type: 'connect' });
    else this.#step('tick', () => void puppet.tick());
    puppet.finish();
  }

  #isDone(): boolean {
    const { puppet } = this;
    if (puppet.hasEnded) return true;
    const waits = [...puppet.rows.values()].some(({ status }) => status === 'queued' || status === 'sending');
    return puppet.state.line.phase === 'online' && !waits && puppet.asks.size === 0 && puppet.errands.length === 0;
  }

  #anErrandEnds(): void {
    const errand = this.#one(this.puppet.ready);
    if (!errand) return;
    const how = this.#chance() < 0.9 || errand.what === 'dial' || errand.what === 'end of line' ? 'well' : 'badly';
    this.#step(`${errand.what} ${how}`, () => this.puppet.end(errand, how));
  }

  #somebodySpeaks(): void {
    const { puppet } = this;
    const what = this.#chance();
    if (what < 0.4) {
      const question = this.#one(QUESTIONS)!;
      return this.#step(question.type, () => puppet.ask(question));
    }
    const id = `M${++this.#serial}`;
    if (what < 0.55) {
      const message = { netId: id, to: `${DIGITS}@s.whatsapp.net`, content: { type: 'text', body: 'code' }, quotes: null } as const;
      return this.#step('deliver', () => puppet.ask({ type: 'deliver', message }));
    }
    puppet.rows.set(id, { ...rowOf(id, puppet.now), lane: this.#one([LANES.reply, LANES.blast])! });
    this.#step('workArrived', () => puppet.hear({ type: 'workArrived' }));
  }

  #theNetworkSpeaks(): void {
    const { puppet } = this;
    const late = this.#chance() < 0.1;
    if (puppet.line === null && !late) return;
    const said = this.#one(this.#sayings())!;
    if (said.type === 'acked' || said.type === 'refused') return this.#settle(said.type);
    this.#step(`${said.type}${late ? ' late' : ''}`, () => puppet.say(said, late ? (puppet.dials.at(-2) ?? 0) : (puppet.line ?? 0)));
  }

  #sayings(): readonly LineEvent[] {
    const { puppet } = this;
    const code = this.#one(Object.values(CLOSED))!;
    const known = this.#one([...puppet.rows.keys()]) ?? 'nobody';
    const at = puppet.now;
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
    const { puppet } = this;
    const netId = this.#one([...puppet.unacked]);
    if (netId === undefined) return;
    puppet.unacked.delete(netId);
    this.#say(type === 'acked' ? { type, netId, at: puppet.now } : { type, netId, reason: 'no' });
  }

  #say(said: LineEvent): void {
    this.#step(said.type, () => this.puppet.say(said));
  }

  #one<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#chance() * all.length)];
  }

  #step(what: string, run: () => void): void {
    this.#trail.push(what);
    const wasAsked = ['connect', 'pairByCode'].includes(what);
    const before = this.puppet.state.line.phase;
    this.puppet.last = [];
    run();
    this.#check(what, before === 'failed' && !wasAsked);
  }

  #check(what: string, wasFailed = false): void {
    const { state, last, dials, errands, hasEnded } = this.puppet;
    if (hasEnded) return;
    const did = last.map((effect) => effect.do);
    assert.equal(new Set(dials).size, dials.length, 'a number was dialled twice');
    assert.ok(!wasFailed || !did.includes('dial'), `${what}: a failed device dialled`);
    assert.ok(!did.includes('dial') || state.facts.wanted, `${what}: it dialled though nobody wants it online`);
    assert.ok(state.line.phase === 'online' || state.outbox.onTheWire.size === 0, 'something is on the wire of no line');
    assert.deepEqual([...this.puppet.strays], [], `${what}: sent while ${state.line.phase}`);
    assert.ok(!state.draining || !did.includes('claim'), `${what}: claimed while draining`);
    const claims = errands.filter((errand) => errand.what === 'claim' || errand.what === 'recover').length;
    assert.ok(claims <= dials.length && did.filter((one) => one === 'claim' || one === 'recover').length <= 1, 'claimed twice at once');
    assert.ok(this.puppet.stored.status !== 'disconnected' || state.facts.phone !== null, 'disconnected, though it was never linked');
    const taken = [...this.puppet.rows.values()].filter(({ status, lane }) => status === 'sending' && lane === LANES.blast);
    const underWay = taken.filter(({ net_id }) => !this.puppet.answered.has(net_id));
    assert.ok(underWay.length <= 1, `${what}: ${underWay.length} messages of campaigns at once`);
    for (const { net_id, status } of this.puppet.rows.values())
      assert.ok(!state.outbox.onTheWire.has(net_id) || status !== 'queued', `${net_id} is on the wire and queued`);
  }
}
