import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ChatMarkName, ChatMarkValue } from '../../../actors/network/chat-marks.ts';
import type { PhoneOnlySettings } from '../../../actors/network/groups.ts';
import { userJid } from '../../../actors/network/jid.ts';
import type { PasskeyCredential, PasskeyOptions } from '../../../actors/network/passkey.ts';
import type { MessageChange } from '../../../actors/network/phone-changes.ts';
import type {
  Connection,
  ConnectionEvent,
  Content,
  Credentials,
  Network,
  OutgoingMessage,
  Presence,
} from '../../../actors/network/port.ts';
import type { ShownMarks as ShownChatMarks } from '../../../actors/network/sandbox/marked-chats.ts';
import type { Act, FaultKind, ShownPresence } from '../../../actors/network/sandbox/protocol.ts';

/** The other side of a network, as the contract suite needs it: people with phones, faults, and time. */
export interface World {
  readonly network: Network;
  /** Its driver has that step of linking. */
  readonly hasPasskeys: boolean;
  /** Its host for files is trusted, while the test lasts. */
  readonly trustFiles?: () => void;
  readonly phone: (digits: string) => Person;
  /** Trouble for the device linked to this number. */
  fault(digits: string, kind: FaultKind, forMs?: number): Promise<void>;
  /** A group of these numbers; answers its address. */
  group(members: readonly string[]): Promise<string>;
  /** Lets the network's time pass, and what is under way arrive. */
  pass(ms: number): Promise<void>;
}

export interface Person {
  /** What this phone shows, oldest first. */
  shows(): Promise<readonly Shown[]>;
  /** What was said in its chat with somebody (digits) before a device was linked, oldest first. */
  remembers(chat: string, lines: readonly { readonly text: string; readonly isOurs: boolean; readonly at: number }[]): Promise<void>;
  /** Answers the message's network id. */
  writes(to: string, body: string): Promise<string>;
  /** Rejects with a Refusal when it does not work. */
  scans(shown: { readonly qr: string } | { readonly pairingCode: string }): Promise<void>;
  /** Does something to a message; answers the network id of that. */
  does(to: string, target: string, act: Act): Promise<string>;
  /** Reads the chat with somebody (digits), or a group (its address). */
  looksAt(chat: string): Promise<void>;
  /** Changes settings of a group that it leads, which no device can change. */
  setsGroup(group: string, change: PhoneOnlySettings): Promise<void>;
  /** Follows the channel with this invite code. */
  follows(code: string): Promise<void>;
  /** Plays a voice message or a video that it shows. */
  plays(netId: string): Promise<void>;
  /** Looks at a post of a channel, or at a status, that it shows. */
  views(netId: string): Promise<void>;
  /** Reacts to a post of a channel that it shows. */
  reactsTo(netId: string, emoji: string): Promise<void>;
  /** Answers the id of the call. */
  calls(to: string, how?: { readonly video?: boolean; readonly group?: string }): Promise<string>;
  /** Answers a call that rings on this phone (`from`: digits of who calls). */
  answersCall(from: string, callId: string): Promise<void>;
  /** Rings at `to` in vain, or hangs up a call with them. */
  endsCall(to: string, callId: string, isMissed: boolean): Promise<void>;
  /** Whether a call that it made still rings. */
  rings(callId: string): Promise<boolean>;
  /** What it shows of what was done to a message. */
  marks(netId: string): Promise<ShownMarks>;
  /** Archives, pins, mutes or marks a chat (digits, or a group), or takes that back. */
  marksChat(chat: string, name: ChatMarkName, value: ChatMarkValue): Promise<void>;
  /** Stars a message of a chat (digits, or a group), takes the star off, or deletes it for itself. `author`: digits, null for its own. */
  changesView(
    kind: MessageChange['kind'],
    of: { readonly chat: string; readonly netId: string; readonly author: string | null },
  ): Promise<void>;
  /** Has this name for somebody (digits) in its address book; null: none. */
  saves(digits: string, name: string | null): Promise<void>;
  /** Empties a chat. */
  clears(chat: string): Promise<void>;
  /** What it shows of its chats. */
  marked(): Promise<ShownChatMarks>;
  presences(): Promise<readonly ShownPresence[]>;
  /** Writes to somebody, records, or stops. */
  types(to: string, state: Presence): Promise<void>;
  /** How the last of its devices shows the account. */
  appears(): Promise<'available' | 'unavailable'>;
  /** What its browser makes of the options for its passkey. */
  signs(options: PasskeyOptions): Promise<PasskeyCredential>;
  is(changes: {
    readonly online?: boolean;
    readonly reads?: boolean;
    readonly onNetwork?: boolean;
    readonly name?: string;
    readonly lid?: boolean;
    readonly tellsNumber?: boolean;
    readonly passkey?: boolean;
    readonly business?: boolean;
    /** False: others can only invite it to groups. */
    readonly addable?: boolean;
    /** Null: hidden. */
    readonly about?: string | null;
  }): Promise<void>;
}

export interface ShownMarks {
  /** Emoji by the digits of who reacts. */
  readonly reactions: Readonly<Record<string, string>>;
  /** The text that it has now; null: as it was sent. */
  readonly body: string | null;
  readonly deleted: boolean;
  /** Digits of whose device read it. */
  readonly seenBy: readonly string[];
}

export interface Shown {
  readonly netId: string;
  /** Digits. */
  readonly from: string;
  readonly content: Content;
}

export type MakeWorld = (t: TestContext) => Promise<World>;

type Heard<T extends ConnectionEvent['type']> = Extract<ConnectionEvent, { type: T }>;

const PATIENCE = 400;
const STEP_MS = 5;

/** One login and all that it hears. */
export class Ear {
  readonly connection: Connection;
  readonly events: ConnectionEvent[] = [];
  readonly #world: World;

  constructor(world: World, credentials: Credentials | null, deviceId: string, then: (event: ConnectionEvent) => unknown = () => {}) {
    this.#world = world;
    this.connection = world.network.open({ deviceId, credentials, proxyUrl: null }, (event) => {
      this.events.push(event);
      then(event);
    });
  }

  all<T extends ConnectionEvent['type']>(type: T): readonly Heard<T>[] {
    return this.events.filter((event): event is Heard<T> => event.type === type);
  }

  /** Waits for the `count`th event of this type, and answers it. */
  async hears<T extends ConnectionEvent['type']>(type: T, count = 1): Promise<Heard<T>> {
    for (let tries = 0; tries < PATIENCE; tries += 1) {
      const found = this.all(type)[count - 1];
      if (found) return found;
      await this.#world.pass(STEP_MS);
    }
    return assert.fail(`never heard ${type} ${count} times, only ${JSON.stringify(this.events)}`);
  }

  /** Waits until everything under way on this login has been heard: an ask is answered after all that came before it. */
  async catchesUp(): Promise<void> {
    await finished(this.#world, this.connection.lookUp([]));
  }

  sends(netId: string, to: string, body = netId): void {
    const message: OutgoingMessage = { netId, to: to.includes('@') ? to : userJid(to), content: { type: 'text', body }, quotes: null };
    this.connection.send(message);
  }
}

/** Lets time pass until the promise is settled. */
export async function finished<T>(world: World, promise: Promise<T>): Promise<T> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  for (let tries = 0; tries < PATIENCE && !settled; tries += 1) await world.pass(STEP_MS);
  return settled ? promise : assert.fail('never answered');
}

/** Links a device to the phone `digits` by its camera; answers the credentials to log in with. */
export async function link(world: World, digits: string, deviceId = `device-${digits}`): Promise<Credentials> {
  const ear = new Ear(world, null, deviceId);
  const { qr } = await ear.hears('qr');
  await world.phone(digits).scans({ qr });
  const { credentials } = await ear.hears('linked');
  await ear.hears('closed');
  return credentials;
}

export async function logIn(world: World, credentials: Credentials, deviceId = 'device'): Promise<Ear> {
  const ear = new Ear(world, credentials, deviceId);
  await ear.hears('opened');
  return ear;
}

/** A device linked to the phone `digits`, logged in. */
export async function aDevice(world: World, digits: string): Promise<Ear> {
  return logIn(world, await link(world, digits), `device-${digits}`);
}
