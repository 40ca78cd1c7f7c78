import type { Logger } from 'pino';
import type { Hands, Self } from '../../runtime/actor.ts';
import { unreachable } from '../../runtime/behaviour.ts';
import type { Cancel } from '../../runtime/clock.ts';
import type { Lease } from '../../runtime/cluster/port.ts';
import type { DevicePatch } from '../../store/devices.ts';
import type { Owner } from '../../store/messages.ts';
import { Debts } from '../follow-ups.ts';
import type { Line, LineEvent, OutgoingMessage, Vault } from '../network/port.ts';
import { refusal } from '../refusals.ts';
import { ActHands } from './act-hands.ts';
import { ask } from './asks.ts';
import { Diary } from './diary.ts';
import { Intake } from './intake.ts';
import { type Marked, Marks } from './marks.ts';
import { OneByOne } from './one-by-one.ts';
import type { DevicePorts } from './ports.ts';
import { type DeviceEffect, type DeviceEvent, type DeviceFacts, OUTSIDE, type Pacing } from './protocol.ts';
import { Traffic } from './traffic.ts';
import { type Taken, Turns } from './turns.ts';
import { vaultOf } from './vault.ts';

/** Carries out what one device decided: its line to the network, its writes to the store. One incarnation, one owner, one epoch. */
export class DeviceHands implements Hands<DeviceEffect> {
  readonly #ports: DevicePorts;
  readonly #owner: Owner;
  readonly #self: Self<DeviceEvent>;
  readonly #lease: Lease;
  readonly #log: Logger;
  /** Writes to message rows, in the order in which they were decided. */
  readonly #ledger = new OneByOne();
  readonly #saves = new OneByOne();
  readonly #debts: Debts;
  readonly #diary: Diary;
  /** What a failed save did not get into the store: goes with the next one. */
  #unsaved: DevicePatch = {};
  readonly #marks: Marks;
  #line: Line | null = null;
  #leaveGate: Cancel | null = null;
  #farewell: Promise<void> | null = null;
  /** Resolves when the network says that the line is closed. */
  #hungUp: Promise<void> = Promise.resolve();
  readonly #traffic: Traffic;
  readonly #vault: Vault;
  readonly #acts: ActHands;
  readonly #intake: Intake;
  readonly #turns: Turns;

  constructor(ports: DevicePorts, facts: DeviceFacts, self: Self<DeviceEvent>, lease: Lease) {
    const { owner } = facts;
    this.#ports = ports;
    this.#owner = owner;
    this.#self = self;
    this.#lease = lease;
    this.#traffic = new Traffic(ports.clock.now());
    this.#vault = vaultOf(ports.keyrings, owner);
    this.#turns = new Turns(ports, owner);
    this.#marks = new Marks(ports.messages, owner, (work) => this.#write(work, this.#marked));
    this.#debts = new Debts(ports, owner, (cause) => this.#log.error({ err: cause }, 'what follows from a message is still owed'));
    this.#log = ports.log.child({ tenant: owner.tenantId, device: owner.sessionId, epoch: owner.epoch });
    this.#diary = new Diary(ports, owner, facts);
    const wrist = {
      owner,
      line: () => this.#line,
      hear: (event: DeviceEvent) => self.hear(event),
      settle: this.#settle,
      storeFailed: (cause: unknown) => this.#storeFailed(cause),
    };
    this.#intake = new Intake(ports, wrist);
    this.#acts = new ActHands(ports, {
      ...wrist,
      write: (work, done) => this.#write(work, done),
      caughtUp: () => this.#intake.caughtUp(),
    });
    this.#tell();
  }

  perform(effect: DeviceEffect): void {
    // Whoever cannot prove that the device is still theirs touches nothing outside; doubt means lost.
    if (OUTSIDE.has(effect.do) && !this.#lease.isSafe()) return this.#self.hear({ type: 'fenced' });
    switch (effect.do) {
      case 'dial':
        return this.#dial(effect);
      case 'hangUp':
        return this.#hangUp();
      case 'save':
        return this.#save(effect);
      case 'logOut':
        return this.#logOut();
      case 'askCode':
      case 'askLookUp':
      case 'answerPasskey':
      case 'confirmPasskey':
        return ask(effect, this.#line, (event) => this.#self.hear(event));
      case 'transmit':
        this.#countTraffic();
        return this.#transmit(effect.message);
      case 'acknowledge':
        return this.#line?.acknowledge(effect.token);
      case 'settle':
        return this.#settle();
      case 'storeInbound':
        this.#countTraffic();
        return this.#intake.store(effect);
      case 'fetchFile':
        return this.#intake.fetch(effect);
      case 'recover':
      case 'claim':
      case 'markSent':
      case 'markFailed':
      case 'markReceipt':
        return this.#ledgerEffect(effect);
      default:
        return this.#acts.perform(effect);
    }
  }

  /** Never logs out; a phone that is being unlinked is let finish that first. Resolves when the line is closed, or will not say so. */
  async release(): Promise<void> {
    this.#debts.end();
    if (this.#farewell) await this.#forAWhile(this.#farewell);
    this.#hangUp();
    await this.#forAWhile(this.#hungUp);
  }

  async #forAWhile(done: Promise<void>): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.after(CLOSING_MS, resolve);
    await Promise.race([done, over]);
    cancel();
  }

  #ledgerEffect(effect: Extract<DeviceEffect, { do: 'recover' | 'claim' | 'markSent' | 'markFailed' | 'markReceipt' }>): void {
    const { messages } = this.#ports;
    const owner = this.#owner;
    switch (effect.do) {
      case 'recover':
        this.#settle();
        return this.#write(
          () => messages.retake(owner, MOST_RECOVERED),
          (rows) => this.#self.hear({ type: 'recovered', dial: effect.dial, rows }),
        );
      case 'claim':
        return this.#write(
          () => this.#claim(effect),
          (heard) => this.#self.hear(heard),
        );
      case 'markSent':
        return this.#marks.sent(effect.id, effect.at);
      case 'markFailed':
        return this.#write(() => messages.markFailed(owner, effect.netId, effect.error), this.#settle);
      case 'markReceipt':
        return this.#marks.receipt(effect.receipt, effect.dial);
      default:
        unreachable(effect);
    }
  }

  async #claim({ dial, limit, turn, row, pacing }: Extract<DeviceEffect, { do: 'claim' }>): Promise<DeviceEvent> {
    const now = this.#ports.clock.now();
    const claimed = (taken: Taken): DeviceEvent => ({ type: 'claimed', dial, ...taken, pauseMs: this.#pause(pacing) });
    if (row) return claimed({ rows: await this.#turns.claim([row], turn.day, now), isSpent: false });
    if (!pacing.typing) return claimed(await this.#turns.take({ ...turn, limit }, now));
    const { rows, isSpent } = await this.#turns.choose({ ...turn, limit: 1 });
    const [next] = rows;
    if (next?.message_type === 'text') return { type: 'chosen', dial, row: next };
    return claimed({ rows: await this.#turns.claim(rows, turn.day, now), isSpent });
  }

  #dial({ dial, credentials, proxyUrl }: Extract<DeviceEffect, { do: 'dial' }>): void {
    this.#hangUp();
    this.#leaveGate?.();
    this.#leaveGate = this.#ports.gate.enter(() => {
      const { network, chance } = this.#ports;
      if (!this.#lease.isSafe()) return this.#self.hear({ type: 'fenced' });
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#hungUp = promise;
      const hear = (said: LineEvent): void => {
        if (said.type === 'closed') resolve();
        this.#self.hear({ type: 'lineSaid', dial, said, luck: chance() });
      };
      this.#line = network.open(
        {
          ...{ deviceId: this.#owner.sessionId, credentials, proxyUrl, vault: this.#vault },
          ...{ recall: this.#acts.recall, quoted: this.#acts.quoted },
          openFile: (key) => this.#ports.files.open(this.#owner.tenantId, key),
        },
        hear,
      );
      this.#self.hear({ type: 'dialled', dial });
    });
  }

  #hangUp(): void {
    this.#leaveGate?.();
    this.#leaveGate = null;
    this.#line?.close();
    this.#line = null;
  }

  #logOut(): void {
    const line = this.#line;
    this.#farewell = line
      ? line.logOut().catch((cause) => this.#log.warn({ err: cause }, 'the phone could not be told of the logout'))
      : null;
  }

  #save({ patch, replyTo, hear }: Extract<DeviceEffect, { do: 'save' }>): void {
    const { devices } = this.#ports;
    const { tenantId, sessionId, epoch } = this.#owner;
    const noted = this.#diary.note(patch);
    this.#saves
      .run(async () => {
        this.#unsaved = { ...this.#unsaved, ...noted.patch };
        const happenings = this.#diary.add(noted.happening);
        const mine = await devices.write(tenantId, sessionId, epoch, this.#unsaved, happenings);
        this.#unsaved = {};
        if (!mine) return this.#self.hear({ type: 'fenced' });
        this.#diary.saved(happenings);
        if (happenings.length > 0) this.#tell();
        if (replyTo) this.#self.hear({ type: 'answered', to: replyTo, value: null });
        if (hear) this.#self.hear(hear);
      })
      .catch((cause) => {
        if (replyTo) this.#self.hear({ type: 'refused', to: replyTo, error: refusal('UNAVAILABLE') });
        this.#storeFailed(cause);
      });
  }

  #tell(): void {
    this.#saves.run(() => this.#diary.settle()).catch((cause) => this.#storeFailed(cause));
  }

  #transmit(message: OutgoingMessage): void {
    const { fileKey: key } = message;
    this.#line?.send(message, key === undefined ? undefined : () => this.#ports.files.open(this.#owner.tenantId, key));
  }

  readonly #marked = (receipts: readonly Marked[]): void => {
    for (const { dial, receipt } of receipts) this.#self.hear({ type: 'kept', dial, token: receipt.token });
    this.#settle();
  };

  readonly #settle = (): void => this.#debts.settle();

  #write<T>(work: () => Promise<T>, done?: (result: T) => void): void {
    this.#ledger.run(work).then(done, (cause) => this.#storeFailed(cause));
  }

  /** What a device weighs when devices are spread over nodes: told when it changed much, at most once a minute. */
  #countTraffic(): void {
    const traffic = this.#traffic.count(this.#ports.clock.now());
    if (traffic) this.#save({ do: 'save', patch: { traffic } });
  }

  #storeFailed(cause: unknown): void {
    this.#log.error({ err: cause }, 'the store failed a device');
    this.#self.hear({ type: 'storeFailed', luck: this.#ports.chance() });
  }

  #pause({ minDelayMs, maxDelayMs }: Pacing): number {
    return Math.round(minDelayMs + this.#ports.chance() * (maxDelayMs - minDelayMs));
  }
}

/** A network that never confirms a farewell or the end of a line does not keep the device from its next owner for longer. */
const CLOSING_MS = 2_000;

/** Rows that one line can have left on the wire are fewer; the bound is against a store gone wrong. */
const MOST_RECOVERED = 1_000;
