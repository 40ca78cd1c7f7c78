import { device } from '../../actors/device/device.ts';
import { isCampaign, lanesBehind } from '../../actors/device/pace.ts';
import type { DeviceCommand, DeviceEffect, DeviceEvent, DeviceFacts, DeviceState } from '../../actors/device/protocol.ts';
import type { LineEvent } from '../../actors/network/port.ts';
import type { CoreEffect, ReplyTo } from '../../runtime/behaviour.ts';
import type { OwnAct } from '../../store/acts.ts';
import type { DevicePatch } from '../../store/devices.ts';
import type { MessageRow } from '../../store/messages.ts';

type Effect = DeviceEffect | CoreEffect<DeviceEvent>;
type Asking = Extract<DeviceCommand, { readonly replyTo: unknown }>;
type WithoutReply<C> = C extends unknown ? Omit<C, 'replyTo'> : never;
export type Question = WithoutReply<Asking>;

/** Something that an effect started and that will be heard of later. Errands of one queue end in the order in which they began. */
export interface Errand {
  readonly what: Effect['do'] | 'end of line';
  readonly queue: 'saves' | 'ledger' | null;
  succeed(): void;
  fail(): void;
}

interface Timer {
  readonly at: number;
  readonly hear: DeviceEvent;
}

/** The pure behaviour of a device, and a world around it in which everything that it starts waits to be ended by a test: well or badly, now or later. */
export class Puppet {
  state: DeviceState;
  now = Date.UTC(2026, 0, 1);
  #elapsed = 0;
  hasEnded = false;
  /** The dial of the open line. */
  line: number | null = null;
  dials: number[] = [];
  /** What the last step asked for. */
  last: readonly Effect[] = [];
  readonly errands: Errand[] = [];
  readonly timers = new Map<string, Timer>();
  /** Questions without an answer. */
  readonly asks = new Map<object, string>();
  readonly rows = new Map<string, MessageRow>();
  /** What it is to do to messages, as stored. */
  readonly intents = new Map<string, OwnAct>();
  /** Network ids that left on a line and of which the network said nothing yet. */
  readonly unacked = new Set<string>();
  /** Of which the network said something, or nothing for too long. */
  readonly answered = new Set<string>();
  /** What was sent though no line was open. */
  readonly strays = new Set<string>();
  stored: DevicePatch = {};
  #unsaved: DevicePatch = {};

  constructor(facts: DeviceFacts) {
    const [state, ...effects] = device.start(facts, this.now);
    this.state = state;
    this.#follow(effects);
  }

  hear(message: DeviceCommand | DeviceEvent): void {
    if (this.hasEnded) return;
    const [state, ...effects] = device.handle(this.state, message, this.now);
    this.state = state;
    this.#follow(effects);
  }

  ask(question: Question): void {
    const replyTo = {};
    this.asks.set(replyTo, question.type);
    this.hear({ ...question, replyTo } as DeviceCommand);
  }

  /** The network speaks on the open line, or on an older one. */
  say(said: LineEvent, dial = this.line ?? 0): void {
    if (said.type === 'closed' && dial === this.line) this.#lineEnded();
    if (said.type === 'acked' || said.type === 'refused') this.answered.add(said.netId);
    if (said.type === 'receipt') for (const netId of said.netIds) this.answered.add(netId);
    this.hear({ type: 'lineSaid', dial, said, luck: 0.5 });
  }

  /** The errands that may end next. */
  get ready(): readonly Errand[] {
    const seen = new Set<string>();
    return this.errands.filter(({ queue }) => queue === null || (!seen.has(queue) && seen.add(queue)));
  }

  /** Ends all that is under way, and what follows from it, well. */
  finish(): void {
    for (let [next] = this.ready; next; [next] = this.ready) this.end(next, 'well');
  }

  end(errand: Errand, how: 'well' | 'badly'): void {
    this.errands.splice(this.errands.indexOf(errand), 1);
    if (how === 'well') errand.succeed();
    else errand.fail();
  }

  /** Lets time pass until the next timer, which is heard; false: none is set. */
  tick(): boolean {
    const [first] = [...this.timers].sort(([, a], [, b]) => a.at - b.at);
    if (!first) return false;
    const [key, { at, hear }] = first;
    this.timers.delete(key);
    this.now += at - this.#elapsed;
    this.#elapsed = at;
    this.hear(hear);
    return true;
  }

  /** Somebody sets the wall clock; no time passes. */
  setClock(byMs: number): void {
    this.now += byMs;
  }

  #follow(effects: readonly Effect[]): void {
    this.last = effects;
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'reply':
      case 'refuse':
        return void this.asks.delete(effect.to);
      case 'after':
        return void this.timers.set(effect.key, { at: this.#elapsed + Math.max(0, effect.ms), hear: effect.hear });
      case 'cancel':
        return void this.timers.delete(effect.key);
      case 'stop':
        return this.#stop();
      case 'dial':
        return this.#dial(effect.dial);
      case 'hangUp':
        return this.#hangUp();
      case 'save':
        return this.#save(effect);
      case 'transmitAct':
        return void (this.line === null ? this.strays : this.unacked).add(effect.act.net_id);
      case 'transmit':
        return void (this.line === null ? this.strays : this.unacked).add(effect.message.netId);
      default:
        return this.#run(effect);
    }
  }

  #run(effect: DeviceEffect): void {
    switch (effect.do) {
      case 'askCode':
        return this.#question(effect.do, effect.want.replyTo, { code: 'ABCD', expiresAt: this.now });
      case 'answerPasskey':
      case 'confirmPasskey':
        return this.#question(effect.do, effect.replyTo, null);
      case 'askLookUp':
        return this.#question(effect.do, effect.replyTo, []);
      case 'fetchFile':
        return this.#question(effect.do, effect.replyTo, 'med_1');
      case 'storeInbound':
        return this.#start(effect.do, null, () => this.hear({ type: 'kept', dial: effect.dial, token: effect.message.netId }));
      case 'keep':
        return this.#start(effect.do, null, () => this.hear({ type: 'kept', dial: effect.dial, token: effect.event.token }));
      case 'intend':
        return this.#start(effect.do, 'ledger', () => {
          this.intents.set(effect.act.net_id, effect.act);
          this.hear({ type: 'intended', dial: effect.dial, netId: effect.act.net_id });
        });
      case 'applyAct':
        return this.#start(effect.do, 'ledger', () => {
          this.intents.delete(effect.act.net_id);
          this.hear({ type: 'applied', dial: effect.dial, netId: effect.act.net_id });
        });
      case 'recoverActs':
        return this.#start(effect.do, 'ledger', () =>
          this.hear({ type: 'actsRecovered', dial: effect.dial, acts: [...this.intents.values()] }),
        );
      case 'dropAct':
        return this.#start(effect.do, 'ledger', () => void this.intents.delete(effect.act.net_id));
      case 'logOut':
        return this.#start(effect.do, null, () => this.say({ type: 'closed', code: 401 }));
      case 'recover':
        return this.#start(effect.do, 'ledger', () =>
          this.hear({ type: 'recovered', dial: effect.dial, rows: this.#take([...this.rows.values()].filter(isSending)) }),
        );
      case 'claim':
        return this.#start(effect.do, 'ledger', () => this.hear(this.#claimed(effect)));
      case 'markSent':
        return this.#start(effect.do, 'ledger', () => this.#move(effect.id, ['sending'], 'sent'));
      case 'markFailed':
        this.answered.add(effect.netId);
        return this.#start(effect.do, 'ledger', () => this.#move(effect.netId, ['sending', 'sent'], 'failed'));
      case 'markReceipt':
        return this.#start(effect.do, 'ledger', () => {
          const { netIds, status, token } = effect.receipt;
          for (const id of netIds) this.#move(id, ['sending', 'sent', 'delivered'], status);
          this.hear({ type: 'kept', dial: effect.dial, token });
        });
    }
  }

  #start(what: Errand['what'], queue: Errand['queue'], succeed: () => void, fail: () => void = () => {}): void {
    const storeFailed = (): void => {
      fail();
      this.hear({ type: 'storeFailed', luck: 0.5 });
    };
    this.errands.push({ what, queue, succeed, fail: what === 'logOut' ? fail : storeFailed });
  }

  #question(what: Errand['what'], to: ReplyTo<never> | object, value: unknown): void {
    const refused = (): void => this.hear({ type: 'refused', to, error: new Error('no') });
    this.errands.push({ what, queue: null, succeed: () => this.hear({ type: 'answered', to, value }), fail: refused });
  }

  #save({ patch, replyTo, hear }: Extract<DeviceEffect, { do: 'save' }>): void {
    const stored = (): void => {
      this.stored = { ...this.stored, ...this.#unsaved, ...patch };
      this.#unsaved = {};
      if (replyTo) this.hear({ type: 'answered', to: replyTo, value: null });
      if (hear) this.hear(hear);
    };
    this.#start('save', 'saves', stored, () => {
      this.#unsaved = { ...this.#unsaved, ...patch };
      if (replyTo) this.hear({ type: 'refused', to: replyTo, error: new Error('no') });
    });
  }

  #dial(dial: number): void {
    this.#hangUp();
    this.dials.push(dial);
    this.#start('dial', null, () => {
      this.line = dial;
      this.hear({ type: 'dialled', dial });
    });
  }

  /** Nobody waits at the gate any more; the network confirms the end of an open line later. */
  #hangUp(): void {
    const waiting = this.errands.findIndex(({ what }) => what === 'dial');
    if (waiting >= 0) this.errands.splice(waiting, 1);
    const { line } = this;
    if (line === null) return;
    this.#lineEnded();
    this.#start('end of line', null, () => this.say({ type: 'closed', code: 1000 }, line));
  }

  #lineEnded(): void {
    this.line = null;
    this.unacked.clear();
  }

  #stop(): void {
    this.hasEnded = true;
    this.errands.length = 0;
    this.timers.clear();
    this.asks.clear();
  }

  #claimed({ dial, limit, turn, row, pacing }: Extract<DeviceEffect, { do: 'claim' }>): DeviceEvent {
    const waiting = [...this.rows.values()].filter(({ status, lane }) => status === 'queued' && lane <= lanesBehind(turn.gate));
    const [first, ...others] = row ? waiting.filter(({ _id }) => _id === row._id) : waiting.toSorted((a, b) => a.lane - b.lane);
    if (first && !row && pacing.typing) return { type: 'chosen', dial, row: first };
    const more = first && !isCampaign(first) ? others.filter((other) => !isCampaign(other)).slice(0, limit - 1) : [];
    return { type: 'claimed', dial, rows: this.#take(first ? [first, ...more] : []), pauseMs: pacing.maxDelayMs };
  }

  #take(taken: readonly MessageRow[]): MessageRow[] {
    for (const row of taken)
      this.rows.set(row._id, { ...row, status: 'sending', attempts: row.attempts + 1, claimed_at: row.claimed_at ?? this.now });
    return taken.map(({ _id }) => this.rows.get(_id)!);
  }

  #move(id: string, from: readonly string[], status: MessageRow['status']): void {
    const row = this.rows.get(id);
    if (row && from.includes(row.status)) this.rows.set(id, { ...row, status });
  }
}

const isSending = ({ status }: MessageRow): boolean => status === 'sending';
