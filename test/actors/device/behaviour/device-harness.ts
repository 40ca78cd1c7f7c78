import { device } from '../../../../actors/device/behaviour/device.ts';
import type { DeviceFacts } from '../../../../actors/device/behaviour/facts.ts';
import { isCampaign, lanesBehind } from '../../../../actors/device/behaviour/pacing.ts';
import type { DeviceCommand, DeviceEffect, DeviceEvent, DeviceState } from '../../../../actors/device/protocol.ts';
import { backoffAfter } from '../../../../actors/domain/transient-refusals.ts';
import type { ConnectionEvent } from '../../../../actors/network/port.ts';
import type { CoreEffect, ReplyTo } from '../../../../runtime/actor-system/behaviour.ts';
import { safeTexts } from '../../../../runtime/safe-text.ts';
import type { DevicePatch } from '../../../../store/devices/devices.ts';
import type { MessageAction } from '../../../../store/messaging/message-actions.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';

type Effect = DeviceEffect | CoreEffect<DeviceEvent>;
type Asking = Extract<DeviceCommand, { readonly replyTo: unknown }>;
type WithoutReply<C> = C extends unknown ? Omit<C, 'replyTo'> : never;
export type Question = WithoutReply<Asking>;

/** Something that an effect started and whose result comes later. Entries of one queue end in the order in which they began. */
export interface InFlightRequest {
  readonly what: Effect['do'] | 'end of connection';
  readonly queue: 'saves' | 'ledger' | null;
  succeed(): void;
  fail(): void;
}

interface Timer {
  readonly at: number;
  readonly receive: DeviceEvent;
}

/** The pure behaviour of a device, and a world around it in which everything that it starts waits to be ended by a test: well or badly, now or later. */
export class DeviceHarness {
  state: DeviceState;
  now = Date.UTC(2026, 0, 1);
  #elapsed = 0;
  hasEnded = false;
  /** The dial of the open connection. */
  connection: number | null = null;
  connects: number[] = [];
  /** What the last step asked for. */
  last: readonly Effect[] = [];
  readonly inFlight: InFlightRequest[] = [];
  readonly timers = new Map<string, Timer>();
  /** Questions without an answer. */
  readonly asks = new Map<object, string>();
  readonly rows = new Map<string, MessageRow>();
  /** What it is to do to messages, as stored. */
  readonly intents = new Map<string, MessageAction>();
  /** Network ids that left on a connection and of which the network said nothing yet. */
  readonly unacked = new Set<string>();
  /** Of which the network said something, or nothing for too long. */
  readonly answered = new Set<string>();
  /** What was sent though no connection was open. */
  readonly strays = new Set<string>();
  stored: DevicePatch = {};
  #unsaved: DevicePatch = {};

  constructor(facts: DeviceFacts) {
    const [state, ...effects] = device.start(facts, this.now);
    this.state = state;
    this.#follow(effects);
  }

  receive(message: DeviceCommand | DeviceEvent): void {
    if (this.hasEnded) return;
    const [state, ...effects] = device.handle(this.state, message, this.now);
    this.state = state;
    this.#follow(effects);
  }

  ask(question: Question): void {
    const replyTo = {};
    this.asks.set(replyTo, question.type);
    this.receive({ ...question, replyTo } as DeviceCommand);
  }

  /** The network speaks on the open connection, or on an older one. */
  say(said: ConnectionEvent, connectionId = this.connection ?? 0): void {
    if (said.type === 'closed' && connectionId === this.connection) this.#connectionEnded();
    if (said.type === 'acked' || said.type === 'refused') this.answered.add(said.netId);
    if (said.type === 'receipt') for (const netId of said.netIds) this.answered.add(netId);
    this.receive({ type: 'connectionEvent', connectionId, said: safeTexts(said), jitter: 0.5 });
  }

  /** The entries that may end next. */
  get ready(): readonly InFlightRequest[] {
    const seen = new Set<string>();
    return this.inFlight.filter(({ queue }) => queue === null || (!seen.has(queue) && seen.add(queue)));
  }

  /** Ends all that is under way, and what follows from it, well. */
  finish(): void {
    for (let [next] = this.ready; next; [next] = this.ready) this.end(next, 'well');
  }

  end(request: InFlightRequest, how: 'well' | 'badly'): void {
    this.inFlight.splice(this.inFlight.indexOf(request), 1);
    if (how === 'well') request.succeed();
    else request.fail();
  }

  /** Lets time pass until the next timer, which is received; false: none is set. */
  tick(): boolean {
    const [first] = [...this.timers].sort(([, a], [, b]) => a.at - b.at);
    if (!first) return false;
    const [key, { at, receive }] = first;
    this.timers.delete(key);
    this.now += at - this.#elapsed;
    this.#elapsed = at;
    this.receive(receive);
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
        return void this.timers.set(effect.key, { at: this.#elapsed + Math.max(0, effect.ms), receive: effect.receive });
      case 'cancel':
        return void this.timers.delete(effect.key);
      case 'stop':
        return this.#stop();
      case 'connect':
        return this.#connect(effect.connectionId);
      case 'hangUp':
        return this.#hangUp();
      case 'save':
        return this.#save(effect);
      case 'transmitAction':
        return void (this.connection === null ? this.strays : this.unacked).add(effect.action.net_id);
      case 'transmit':
        return void (this.connection === null ? this.strays : this.unacked).add(effect.message.netId);
      default:
        return this.#run(effect);
    }
  }

  #run(effect: DeviceEffect): void {
    switch (effect.do) {
      case 'adopt': {
        const { do: what, ...adopted } = effect;
        return void this.inFlight.push({
          ...{ what, queue: null },
          succeed: () => this.receive({ type: 'adopted', ...adopted }),
          fail: () => this.receive({ type: 'notAdopted', connectionId: effect.connectionId, replyTo: effect.replyTo }),
        });
      }
      case 'askCode':
        return this.#question(effect.do, effect.want.replyTo, { code: 'ABCD', expiresAt: this.now });
      case 'answerPasskey':
        return this.#asked(effect.do, effect.replyTo, { type: 'passkeyTaken', to: effect.replyTo, ceremony: effect.ceremony });
      case 'confirmPasskey':
        return this.#question(effect.do, effect.replyTo, null);
      case 'askLookUp':
        return this.#question(effect.do, effect.replyTo, []);
      case 'askNetwork':
        return this.#question(effect.do, effect.replyTo, null);
      case 'fetchFile':
        return this.#question(effect.do, effect.replyTo, 'med_1');
      case 'storeInbound':
        return this.#start(effect.do, null, () =>
          this.receive({ type: 'kept', connectionId: effect.connectionId, token: effect.message.netId }),
        );
      case 'keep':
        return this.#start(effect.do, null, () =>
          this.receive({ type: 'kept', connectionId: effect.connectionId, token: effect.event.token }),
        );
      case 'intend':
        return this.#start(effect.do, 'ledger', () => {
          this.intents.set(effect.action.net_id, effect.action);
          this.receive({ type: 'intended', connectionId: effect.connectionId, netId: effect.action.net_id });
        });
      case 'applyAction':
        return this.#start(effect.do, 'ledger', () => {
          const netIds = [effect.action, ...effect.superseded].map(({ net_id }) => net_id);
          for (const netId of netIds) this.intents.delete(netId);
          this.receive({ type: 'applied', connectionId: effect.connectionId, netIds });
        });
      case 'recoverActions':
        return this.#start(effect.do, 'ledger', () =>
          this.receive({ type: 'actionsRecovered', connectionId: effect.connectionId, actions: [...this.intents.values()] }),
        );
      case 'dropAction':
        return this.#start(effect.do, 'ledger', () => void this.intents.delete(effect.action.net_id));
      case 'logOut':
        return this.#start(effect.do, null, () => this.say({ type: 'closed', code: 401 }));
      case 'recover':
        return this.#start(effect.do, 'ledger', () =>
          this.receive({
            type: 'recovered',
            connectionId: effect.connectionId,
            rows: this.#take([...this.rows.values()].filter(isSending)),
          }),
        );
      case 'claim':
        return this.#start(effect.do, 'ledger', () => this.receive(this.#claimed(effect)));
      case 'markSent':
        return this.#start(effect.do, 'ledger', () => this.#move(effect.id, ['sending'], 'sent'));
      case 'markFailed':
        this.answered.add(effect.netId);
        return this.#start(effect.do, 'ledger', () => this.#move(effect.netId, ['sending', 'sent'], 'failed'));
      case 'holdBack':
        return this.#start(effect.do, 'ledger', () => {
          const row = [...this.rows.values()].find(({ net_id }) => net_id === effect.netId);
          const backoff = row ? backoffAfter(row, effect.refusal, this.now) : null;
          if (row) this.rows.set(row._id, { ...row, status: backoff ? 'queued' : 'failed', ...(backoff && { backoff }) });
          this.receive({ type: 'heldBack', until: backoff?.until ?? null });
        });
      case 'failOnWire':
        return this.#start(effect.do, 'ledger', () => {
          for (const { _id } of [...this.rows.values()].filter(isSending)) this.#move(_id, ['sending'], 'failed');
        });
      case 'markReceipt':
        return this.#start(effect.do, 'ledger', () => {
          const { netIds, status, token } = effect.receipt;
          for (const id of netIds) this.#move(id, ['sending', 'sent', 'delivered'], status);
          this.receive({ type: 'kept', connectionId: effect.connectionId, token });
        });
    }
  }

  #start(what: InFlightRequest['what'], queue: InFlightRequest['queue'], succeed: () => void, fail: () => void = () => {}): void {
    const storeFailed = (): void => {
      fail();
      this.receive({ type: 'storeFailed', jitter: 0.5 });
    };
    this.inFlight.push({ what, queue, succeed, fail: what === 'logOut' ? fail : storeFailed });
  }

  #question(what: InFlightRequest['what'], to: ReplyTo<never> | object, value: unknown): void {
    this.#asked(what, to, { type: 'answered', to, value });
  }

  #asked(what: InFlightRequest['what'], to: ReplyTo<never> | object, answer: DeviceEvent): void {
    const refused = (): void => this.receive({ type: 'refused', to, error: new Error('no') });
    this.inFlight.push({ what, queue: null, succeed: () => this.receive(answer), fail: refused });
  }

  #save({ patch, replyTo, receive }: Extract<DeviceEffect, { do: 'save' }>): void {
    const stored = (): void => {
      this.stored = { ...this.stored, ...this.#unsaved, ...patch };
      this.#unsaved = {};
      if (replyTo) this.receive({ type: 'answered', to: replyTo, value: null });
      if (receive) this.receive(receive);
    };
    this.#start('save', 'saves', stored, () => {
      this.#unsaved = { ...this.#unsaved, ...patch };
      if (replyTo) this.receive({ type: 'refused', to: replyTo, error: new Error('no') });
    });
  }

  #connect(connectionId: number): void {
    this.#hangUp();
    this.connects.push(connectionId);
    this.#start('connect', null, () => {
      this.connection = connectionId;
      this.receive({ type: 'connectStarted', connectionId });
    });
  }

  /** Cancels a pending connect. The network confirms the end of an open connection later. */
  #hangUp(): void {
    const waiting = this.inFlight.findIndex(({ what }) => what === 'connect');
    if (waiting >= 0) this.inFlight.splice(waiting, 1);
    const { connection } = this;
    if (connection === null) return;
    this.#connectionEnded();
    this.#start('end of connection', null, () => this.say({ type: 'closed', code: 1000 }, connection));
  }

  #connectionEnded(): void {
    this.connection = null;
    this.unacked.clear();
  }

  #stop(): void {
    this.hasEnded = true;
    this.inFlight.length = 0;
    this.timers.clear();
    this.asks.clear();
  }

  #claimed({ connectionId, limit, turn, row, pacing }: Extract<DeviceEffect, { do: 'claim' }>): DeviceEvent {
    const waiting = [...this.rows.values()].filter(
      ({ status, lane, backoff }) => status === 'queued' && lane <= lanesBehind(turn.gate) && (backoff?.until ?? 0) <= this.now,
    );
    const [first, ...others] = row ? waiting.filter(({ _id }) => _id === row._id) : waiting.toSorted((a, b) => a.lane - b.lane);
    if (first && !row && pacing.typing) return { type: 'chosen', connectionId, row: first };
    let campaigns = turn.campaigns;
    const fitting = (first ? [first, ...others] : []).slice(0, limit).filter((one) => !isCampaign(one) || campaigns-- > 0);
    const areAll = !row && fitting.length === waiting.length && fitting.length < limit;
    return { type: 'claimed', connectionId, rows: this.#take(fitting), pauseMs: pacing.maxDelayMs, areAll };
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
