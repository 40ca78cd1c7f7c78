import type { Logger } from 'pino';
import type { EffectHandler, Self } from '../../../runtime/actor-system/actor.ts';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import { type Cancel, forAtMost } from '../../../runtime/clock.ts';
import type { Lease } from '../../../runtime/cluster/port.ts';
import { safeTexts } from '../../../runtime/safe-text.ts';
import { SerialQueue } from '../../../runtime/serial-queue.ts';
import type { DevicePatch } from '../../../store/devices/devices.ts';
import type { Owner } from '../../../store/messaging/messages.ts';
import { refusal } from '../../domain/refusals.ts';
import type { Connection, ConnectionEvent, CredentialStore, Credentials, Network, OutgoingMessage } from '../../network/port.ts';
import { CLOSED } from '../../network/port.ts';
import { PLATFORM } from '../../services/accounts/platform-sender.ts';
import type { BuildLogin } from '../../services/client-build/client-build.ts';
import { isKept } from '../../services/groups/group-answers.ts';
import { OutboxProcessor } from '../../services/messaging/outbox-processor.ts';
import { type DeviceFacts, type DeviceSettings, type Pacing, settingsOf } from '../behaviour/facts.ts';
import type { DeviceEffect, DeviceEvent } from '../protocol.ts';
import { adoptLogin } from './adopt-login.ts';
import { claimInTurn } from './claiming.ts';
import { credentialStoreOf } from './credential-store.ts';
import type { DeviceDeps } from './deps.ts';
import { DeviceTimers } from './device-timers.ts';
import { InboundIntake } from './intake.ts';
import { Marking } from './marking.ts';
import { MessageActionEffects } from './message-action-effects.ts';
import { askNetwork, requestFromNetwork } from './network-requests.ts';
import { noteRefusal, officialDriverOf } from './official-dial.ts';
import { PreviewedSends } from './previewed-sends.ts';
import type { StoredReceipt } from './receipt-batcher.ts';
import { SendScheduler } from './send-scheduler.ts';
import { SessionEventWriter } from './session-events.ts';
import { TrafficMeter } from './traffic-meter.ts';
import { Unheard } from './unheard.ts';

export class DeviceEffects implements EffectHandler<DeviceEffect> {
  readonly #deps: DeviceDeps;
  readonly #owner: Owner;
  readonly #self: Self<DeviceEvent>;
  readonly #lease: Lease;
  readonly #log: Logger;
  /** Runs writes to message rows one after another, in the order in which they were decided. */
  readonly #ledger = new SerialQueue();
  readonly #saves = new SerialQueue();
  /** Reads settings one at a time, so that the last result to arrive is also the latest. */
  readonly #settings = new SerialQueue();
  readonly #told = new SerialQueue();
  readonly #outboxProcessor: OutboxProcessor;
  readonly #sessionEvents: SessionEventWriter;
  #unsaved: DevicePatch = {};
  #isLeftOnWire = false;
  readonly #marking: Marking;
  #connection: Connection | null = null;
  #leaveLoginQueue: Cancel | null = null;
  #dialling: number | null = null;
  #proxyUrl: string | null = null;
  #now: Pick<DeviceSettings, 'habits' | 'history'> = { habits: [], history: { most: 0, months: null } };
  #isOfficial: boolean;
  /** Set during a logout. If the connection closes meanwhile, that does not count as a refusal. */
  #farewell: Promise<void> | null = null;
  #hungUp: Promise<void> = Promise.resolve();
  readonly #traffic: TrafficMeter;
  readonly #credentialStore: CredentialStore;
  readonly #messageActions: MessageActionEffects;
  readonly #intake: InboundIntake;
  readonly #sendScheduler: SendScheduler;
  readonly #previewedSends: PreviewedSends;
  readonly #timers: DeviceTimers;
  readonly #unheard: Unheard;

  constructor(deps: DeviceDeps, facts: DeviceFacts, self: Self<DeviceEvent>, lease: Lease) {
    const { owner } = facts;
    this.#deps = deps;
    this.#owner = owner;
    this.#isOfficial = facts.isOfficial;
    this.#self = self;
    this.#lease = lease;
    this.#traffic = new TrafficMeter(deps.clock.now());
    this.#credentialStore = credentialStoreOf(deps.credentialRows, owner);
    this.#timers = new DeviceTimers(deps, owner);
    this.#unheard = new Unheard(deps.clock);
    this.#sendScheduler = new SendScheduler({ ...deps, unheard: this.#unheard, timers: this.#timers }, owner, this.#processOutbox);
    const failed = (err: unknown): void => this.#log.error({ event: 'outbox.step_failed', err }, 'outbox step failed; it will be retried');
    this.#outboxProcessor = new OutboxProcessor(deps, owner, failed, this.#unheard);
    this.#marking = new Marking({
      ...{ store: deps.store, messages: deps.messages, owner, ledger: this.#ledger, outboxProcessor: this.#outboxProcessor },
      stored: (receipts) => this.#kept(receipts),
      failed: (cause) => this.#storeFailed(cause),
      formsOf: (subjects) => deps.people.formsOf(owner.tenantId, subjects),
    });
    this.#log = deps.log.child({ tenant: owner.tenantId, device: owner.sessionId, epoch: owner.epoch });
    this.#sessionEvents = new SessionEventWriter(deps, owner, facts);
    const context = {
      owner,
      timers: this.#timers,
      connection: () => this.#connection,
      showsPresence: () => this.#now.habits.includes('presence'),
      receive: (event: DeviceEvent) => self.receive(event),
      processOutbox: this.#processOutbox,
      storeFailed: (cause: unknown) => this.#storeFailed(cause),
    };
    this.#previewedSends = new PreviewedSends(deps, owner, (habit) => this.#now.habits.includes(habit), context.connection);
    this.#intake = new InboundIntake(deps, context, this.#unheard);
    this.#messageActions = new MessageActionEffects(deps, {
      ...context,
      write: (work, done) => this.#write(work, done),
      inOrder: (work) => this.#told.run(work),
      caughtUp: () => this.#intake.caughtUp(),
    });
    this.#tell();
  }

  perform(effect: DeviceEffect): void {
    switch (effect.do) {
      case 'connect':
        return void this.#connect(effect);
      case 'readSettings':
        return void this.#readSettings();
      case 'hangUp':
        return this.#hangUp();
      case 'save':
        return this.#save(effect);
      case 'logOut':
        return this.#logOut();
      case 'adopt':
        return void adoptLogin(effect, this.#credentialStore, (event) => this.#self.receive(event));
      case 'forgetLogin':
        return void this.#saves.run(() => this.#credentialStore.destroy()).catch((cause) => this.#storeFailed(cause));
      case 'askCode':
      case 'askLookUp':
      case 'answerPasskey':
      case 'confirmPasskey':
        return requestFromNetwork(effect, this.#connection, (event) => this.#self.receive(event));
      case 'askNetwork':
        return this.#askNetwork(effect);
      case 'transmit':
        this.#countTraffic();
        return this.#transmit(effect.message);
      case 'acknowledge':
        return this.#connection?.acknowledge(effect.token);
      case 'processOutbox':
        return this.#processOutbox();
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
      case 'failOnWire':
        return this.#failOnWire();
      default:
        return this.#messageActions.perform(effect);
    }
  }

  async release(): Promise<void> {
    this.#marking.hurry();
    this.#outboxProcessor.end();
    this.#messageActions.presence.end();
    if (this.#farewell) await forAtMost(this.#deps.clock, CLOSING_MS, this.#farewell);
    this.#hangUp();
    await forAtMost(this.#deps.clock, CLOSING_MS, this.#hungUp);
  }

  #ledgerEffect(effect: Extract<DeviceEffect, { do: 'recover' | 'claim' | 'markSent' | 'markFailed' | 'markReceipt' }>): void {
    const [{ messages }, owner] = [this.#deps, this.#owner];
    switch (effect.do) {
      case 'recover':
        return this.#write(
          () => messages.retake(owner, MAX_RECOVERED),
          (rows) => {
            this.#processOutbox();
            this.#self.receive({ type: 'recovered', connectionId: effect.connectionId, rows });
          },
        );
      case 'claim':
        return this.#claim(effect);
      case 'markSent':
        return this.#marking.sent(effect.id, effect.at, effect);
      case 'markFailed':
        return this.#write(() => messages.markFailed(owner, effect.netId, effect.error), this.#processOutbox);
      case 'markReceipt':
        return this.#marking.receipt(effect.receipt, effect.connectionId);
      default:
        unreachable(effect);
    }
  }

  #claim(effect: Extract<DeviceEffect, { do: 'claim' }>): void {
    const [{ clock }, connection] = [this.#deps, this.#connection];
    const parts = { scheduler: this.#sendScheduler, unheard: this.#unheard, clock, pauseMs: () => this.#pause(effect.pacing) };
    const inOrder = <T>(work: () => Promise<T>): Promise<T> => this.#ledger.run(work);
    claimInTurn({ ...parts, inOrder, isOver: () => this.#connection !== connection }, effect).then(
      (event) => event && this.#self.receive(event),
      (cause) => this.#storeFailed(cause),
    );
  }

  #failOnWire(): void {
    this.#marking.hurry();
    const failed = this.#endOnWire();
    // The save below awaits `failed` later. Until then, this handler prevents an unhandled rejection.
    failed.catch(() => {});
    this.#saves
      .run(async () => {
        this.#isLeftOnWire = true;
        await failed;
        this.#isLeftOnWire = false;
      })
      .then(this.#processOutbox, (cause) => this.#storeFailed(cause));
  }

  #endOnWire(): Promise<number> {
    return this.#ledger.run(() => this.#marking.behind(() => this.#deps.messages.failOnWire(this.#owner, MAX_RECOVERED)));
  }

  #askNetwork(effect: Extract<DeviceEffect, { do: 'askNetwork' }>): void {
    const { clock, keepAnswer } = this.#deps;
    const by = { owner: this.#owner, phone: effect.own };
    const askedAt = clock.now();
    askNetwork(effect, {
      connection: this.#connection,
      clock,
      receive: (event) => this.#self.receive(event),
      keep: async ({ name, input }, answer) => {
        await this.#timers.learnAnswer(name, input, answer, askedAt);
        return isKept(name) ? this.#told.run(() => keepAnswer({ by, askedAt, now: clock.now() }, name, input, answer)) : answer;
      },
      notKept: (err) => this.#log.warn({ event: 'device.answer_not_kept', err }, 'a response from the network could not be stored'),
    });
  }

  /** Reads settings before it takes a slot in the login queue, because the store may be slow. */
  async #connect({ connectionId, credentials, proxyUrl, byItself }: Extract<DeviceEffect, { do: 'connect' }>): Promise<void> {
    this.#hangUp();
    this.#dialling = connectionId;
    this.#proxyUrl = proxyUrl;
    // Timers must be loaded before the connection opens, or they would overwrite newer ones.
    await Promise.all([this.#readSettings(), this.#timers.load().catch((cause) => this.#settingsDelayed(cause))]);
    const { tenantId, sessionId } = this.#owner;
    const login: BuildLogin = { sessionId, isLinked: credentials !== null, isSender: tenantId === PLATFORM, byItself };
    if (!this.#isOfficial) await this.#deps.builds.prepare(login);
    const driver = this.#isOfficial
      ? await officialDriverOf(this.#deps, this.#owner, (cause) => this.#notDialled(connectionId, cause))
      : null;
    // An official number without keys must never connect as a linked phone.
    if (this.#dialling !== connectionId || (this.#isOfficial && !driver)) return;
    this.#leaveLoginQueue = this.#deps.loginRateLimiter.enter(this.#owner.tenantId, () => {
      this.#dialling = null;
      this.#dial(connectionId, credentials, login, driver);
    });
  }

  /** Treats the attempt as a connection that was lost at once, so that the device tries again later. */
  #notDialled(connectionId: number, cause: unknown): void {
    if (this.#dialling !== connectionId) return;
    this.#self.receive({ type: 'connectStarted', connectionId });
    this.#storeFailed(cause);
  }

  #dial(connectionId: number, credentials: Credentials | null, login: BuildLogin, official: Pick<Network, 'open'> | null): void {
    const { network, random, builds, unknown } = this.#deps;
    const { version, isTried } = builds.forLogin(login.sessionId);
    this.#farewell = null;
    if (!this.#lease.isSafe()) return this.#self.receive({ type: 'fenced' });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hungUp = promise;
    const receive = (said: ConnectionEvent): void => {
      if (said.type === 'unknown') return unknown.note(said.kind, said.name, said.fields);
      if (said.type === 'closed') {
        resolve();
        const code = this.#farewell ? CLOSED.normally : said.code;
        noteRefusal(this.#deps, this.#log, code, version);
        if (!official) builds.heard(login, version, { ...said, code });
      }
      const isHeard = said.type === 'opened' || said.type === 'buildExpires' || (isTried && said.type === 'acked');
      if (isHeard && !official) builds.heard(login, version, said);
      if (said.type === 'opened') this.#messageActions.presence.opened();
      this.#self.receive({ type: 'connectionEvent', connectionId, said: safeTexts(said), jitter: random(), version });
    };
    this.#connection = (official ?? network).open(
      {
        ...{ deviceId: this.#owner.sessionId, credentials, version, proxyUrl: this.#proxyUrl, credentialStore: this.#credentialStore },
        ...{ habits: this.#now.habits, history: this.#now.history, ...this.#messageActions.answers },
        openFile: (key) => this.#deps.files.open(this.#owner.tenantId, key),
      },
      receive,
    );
    this.#self.receive({ type: 'connectStarted', connectionId });
  }

  async #readSettings(): Promise<void> {
    const { devices, pacingOf } = this.#deps;
    const { tenantId, sessionId } = this.#owner;
    const read = this.#settings.run(async () => {
      const row = await devices.find(tenantId, sessionId);
      if (!row) return;
      const settings = settingsOf(row, await pacingOf(tenantId), this.#deps);
      this.#proxyUrl = settings.proxyUrl;
      this.#now = settings;
      this.#isOfficial = settings.isOfficial;
      this.#messageActions.presence.set(row.presence ?? 'offline');
      this.#self.receive({ type: 'settings', settings });
    });
    await read.catch((cause) => this.#settingsDelayed(cause));
  }

  #settingsDelayed(err: unknown): void {
    this.#log.warn({ event: 'device.settings_delayed', err }, 'the settings could not be read; the previous ones stay in effect');
  }

  #hangUp(): void {
    this.#dialling = null;
    this.#leaveLoginQueue?.();
    this.#leaveLoginQueue = null;
    this.#connection?.close();
    this.#connection = null;
  }

  #logOut(): void {
    const connection = this.#connection;
    this.#farewell = connection
      ? connection
          .logOut()
          .catch((cause) =>
            this.#log.warn({ event: 'device.logout_not_told', err: cause }, 'the phone could not be notified of the logout'),
          )
      : null;
  }

  #save({ patch, sessionEvent, replyTo, receive }: Extract<DeviceEffect, { do: 'save' }>): void {
    const [{ devices }, { tenantId, sessionId, epoch }] = [this.#deps, this.#owner];
    this.#saves
      .run(async () => {
        this.#unsaved = { ...this.#unsaved, ...patch };
        const session_events = this.#sessionEvents.add(sessionEvent);
        if (this.#isLeftOnWire) {
          await this.#endOnWire();
          this.#isLeftOnWire = false;
          this.#processOutbox();
        }
        const mine = await devices.write(tenantId, sessionId, epoch, this.#unsaved, session_events);
        this.#unsaved = {};
        if (!mine) return this.#self.receive({ type: 'fenced' });
        this.#sessionEvents.saved(session_events);
        if (session_events.length > 0) this.#tell();
        if (replyTo) this.#self.receive({ type: 'answered', to: replyTo, value: null });
        if (receive) this.#self.receive(receive);
      })
      .catch((cause) => {
        if (replyTo) this.#self.receive({ type: 'refused', to: replyTo, error: refusal('UNAVAILABLE') });
        this.#storeFailed(cause);
      });
  }

  #tell(): void {
    this.#saves.run(() => this.#sessionEvents.processOutbox()).catch((cause) => this.#storeFailed(cause));
  }

  #transmit(message: OutgoingMessage): void {
    const [connection, key] = [this.#connection, message.fileKey];
    const open = key === undefined ? undefined : () => this.#deps.files.open(this.#owner.tenantId, key);
    this.#previewedSends.send(message, (ready) => this.#lease.isSafe() && connection?.send(ready, open));
  }

  #kept(receipts: readonly StoredReceipt[]): void {
    for (const { connectionId, receipt } of receipts) this.#self.receive({ type: 'kept', connectionId, token: receipt.token });
  }

  readonly #processOutbox = (): void => this.#outboxProcessor.processOutbox();

  /** Runs writes to message rows in order, after all acks and receipts received so far. */
  #write<T>(work: () => Promise<T>, done?: (result: T) => void): void {
    this.#marking.hurry();
    this.#ledger.run(() => this.#marking.behind(work)).then(done, (cause) => this.#storeFailed(cause));
  }

  #countTraffic(): void {
    const traffic = this.#traffic.count(this.#deps.clock.now());
    if (traffic) this.#save({ do: 'save', patch: { traffic } });
  }

  #storeFailed(cause: unknown): void {
    this.#log.error({ event: 'device.store_error', err: cause }, 'device: store error');
    this.#self.receive({ type: 'storeFailed', jitter: this.#deps.random() });
  }

  #pause({ minDelayMs, maxDelayMs }: Pacing): number {
    return Math.round(minDelayMs + this.#deps.random() * (maxDelayMs - minDelayMs));
  }
}

const CLOSING_MS = 2_000;
/** Maximum number of messages that a connection can leave unacknowledged, unless the store is corrupt. */
const MAX_RECOVERED = 1_000;
