import { type Clock, pause, systemClock } from '../../runtime/clock.ts';
import { present } from '../../runtime/invariant.ts';
import { type Fault, Faults } from './faults.ts';
import type { GrammarWatch } from './grammar/watch.ts';
import { Journal } from './journal.ts';
import { Ledger } from './ledger.ts';
import { type MediaHost, startMediaHost } from './media/host.ts';
import { furnisher, People } from './people/people.ts';
import type { Person } from './people/person.ts';
import type { MakeSignalSide } from './people/signal.ts';
import { librarySide } from './people/signal-library.ts';
import { rustSide } from './people/signal-rust.ts';
import { SeededRandom } from './random.ts';
import { Directory } from './server/account.ts';
import { Channels, reactToPost, viewPost, writePost } from './server/channels.ts';
import { type EndCode, lastWord } from './server/endings.ts';
import { type Exchange, seconds } from './server/exchange.ts';
import { changeGroup, type GroupChange } from './server/group-changes.ts';
import { type Group, Groups } from './server/groups.ts';
import { Pairings } from './server/pairing.ts';
import { PairingCodes } from './server/pairing-codes.ts';
import { Passkeys } from './server/passkeys.ts';
import { Router } from './server/router.ts';
import { el, THE_SERVER } from './stanza.ts';
import { makeAuthority } from './wire/authority.ts';
import { Connection, type Wiring } from './wire/connection.ts';
import { openPort, type Port } from './wire/port.ts';

export interface PeerOptions {
  /** The same seed gives the same keys, codes and ids. */
  readonly seed?: number;
  readonly clock?: Clock;
  /** Whose Signal the simulated phones speak: not the client's own, unless asked for here or by PEER_SIGNAL=library. */
  readonly signal?: 'rust' | 'library';
  /** Answers a device that asks for its own keys: the network does not, and the bare library asks in groups by hidden address. */
  readonly givesOwnKeys?: boolean;
  /** How many entries the journal keeps. */
  readonly keep?: number;
  /** Holds stanzas against the web client's grammar. */
  readonly grammar?: GrammarWatch | null;
}

/** The other side of the network: a server, and everybody who has a phone on it. */
export interface Peer {
  /** For clients: `ws://127.0.0.1:…`. */
  readonly url: string;
  /** Hex; the key that clients must trust in place of the network's own. */
  readonly rootKey: string;
  readonly journal: Journal;
  readonly ledger: Ledger;
  /** What differs from the web client's grammar; null where nobody looks. */
  readonly grammar: GrammarWatch | null;
  readonly media: MediaHost;
  /** The person with this number; there always is one. */
  phone(digits: string): Person;
  /** As `phone`: a person is whoever a test takes them for. */
  contact(digits: string): Person;
  group(members: readonly string[], options?: GroupOptions): Group;
  /** One member changes a group. */
  changesGroup(by: string, group: Group, change: MemberChange | Exclude<GroupChange, { readonly members: unknown }>): void;
  readonly channels: Channels;
  readonly groups: Groups;
  /** A post, written on the phone of the channel's owner; answers its id. */
  posts(channel: string, text: string): string;
  /** Somebody looks at a post of a channel, or reacts to it, on their phone. */
  viewsPost(by: string, channel: string, id: string): void;
  reactsToPost(by: string, channel: string, id: string, emoji: string): void;
  /** Makes trouble; answers how to end it. */
  fault(fault: Fault): () => void;
  /** Cuts every connection of this number, or all of them. */
  cut(digits?: string): void;
  /** The server tells this number's clients when it will refuse their build, in what it writes for `t`; null: it takes that back. */
  announcesExpiry(digits: string, t: string | number | null): void;
  /** The server ends this number's connections itself, and says why. */
  ends(digits: string, code: EndCode): void;
  /** Throws the number out, and lets it in no more. */
  bans(digits: string): void;
  /** The server goes away with all connections and comes back at the same address; it remembers everything. */
  restart(downMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface MemberChange {
  readonly kind: 'add' | 'remove' | 'promote' | 'demote';
  /** Digits. */
  readonly members: readonly string[];
}

export interface GroupOptions {
  readonly subject?: string;
  /** Which kind of address its members are known by. */
  readonly addressing?: Group['addressing'];
}

const KEEP = 50_000;
const USUAL = process.env['PEER_SIGNAL'] === 'library' ? 'library' : 'rust';
const SIDES: Readonly<Record<'rust' | 'library', MakeSignalSide>> = { rust: rustSide, library: librarySide };

/** Starts a peer on free loopback ports. */
export async function startPeer(options: PeerOptions = {}): Promise<Peer> {
  const { seed = 1, clock = systemClock, signal = USUAL, keep = KEEP, givesOwnKeys = false, grammar = null } = options;
  const random = new SeededRandom(seed);
  const authority = makeAuthority(random, clock.now());
  const journal = new Journal(clock, keep);
  const channels = new Channels();
  const media = await startMediaHost(clock, journal, (sum) => channels.handleOf(sum));
  const exchange = makeExchange({ clock, random, journal, media, channels, givesOwnKeys }, SIDES[signal]);
  const connections = new Set<Connection>();
  const port = await openConnections(
    { authority, clock, random, journal, faults: exchange.faults, grammar },
    new Router(exchange),
    connections,
  );
  const of = (digits?: string): readonly Connection[] => [...connections].filter(({ phone }) => digits === undefined || phone === digits);
  const cut = (digits?: string): void => of(digits).forEach((connection) => void connection.cut());
  const ends = (digits: string, code: EndCode): void => of(digits).forEach((connection) => void connection.end(lastWord(code)));
  const account = (digits: string) => exchange.directory.account(digits);
  const person = (digits: string): Person => exchange.people.person(account(digits));
  return {
    url: port.url,
    rootKey: authority.rootKey.toString('hex'),
    journal,
    ledger: exchange.ledger,
    grammar,
    media,
    phone: person,
    contact: person,
    group: (members, options) => makeGroup(exchange, members, options),
    changesGroup: (by, group, change) =>
      changeGroup(exchange, group, account(by), 'members' in change ? { ...change, members: change.members.map(account) } : change),
    channels: exchange.channels,
    groups: exchange.groups,
    posts: (channel, text) => writePost(exchange, present(exchange.channels.get(channel), channel), text),
    viewsPost: (by, channel, id) => viewPost(exchange, present(exchange.channels.get(channel), channel), account(by), id),
    reactsToPost: (by, channel, id, emoji) =>
      reactToPost(exchange, present(exchange.channels.get(channel), channel), account(by), id, emoji),
    fault: (fault) => addFault(exchange, fault, cut),
    cut,
    ends,
    announcesExpiry: (digits, t) => {
      const notice = el('ib', { from: THE_SERVER }, [el('client_expiration', t === null ? {} : { t })]);
      for (const connection of of(digits)) connection.send(notice);
    },
    bans: (digits) => {
      account(digits).isBanned = true;
      ends(digits, 403);
    },
    restart: async (downMs = 0) => {
      const closed = port.close();
      cut();
      await closed;
      await pause(clock, downMs);
      await port.open();
    },
    stop: async () => {
      const closed = port.close();
      cut();
      await Promise.all([closed, media.stop()]);
    },
  };
}

function openConnections(wiring: Wiring, router: Router, connections: Set<Connection>): Promise<Port> {
  let calls = 0;
  return openPort((socket, request) => {
    calls += 1;
    const connection = new Connection(`#${calls}`, socket, wiring, router);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    wiring.journal.event('connected', connection.name, { address: request.socket.remoteAddress, port: request.socket.remotePort });
  });
}

function makeGroup(exchange: Exchange, members: readonly string[], { subject = 'A group', addressing = 'lid' }: GroupOptions = {}): Group {
  const accounts = members.map((digits) => exchange.directory.account(digits));
  return exchange.groups.create(accounts, subject, addressing, seconds(exchange));
}

/** A line that was silent for its time is cut, as a network that comes back finds it. */
function addFault({ faults, clock }: Exchange, fault: Fault, cut: (digits?: string) => void): () => void {
  const lift = faults.add(fault);
  if (fault.kind !== 'half-open' || fault.forMs === undefined) return lift;
  const cancel = clock.after(fault.forMs, () => {
    lift();
    cut(fault.phone);
  });
  return () => {
    cancel();
    lift();
  };
}

function makeExchange(
  given: Pick<Exchange, 'clock' | 'random' | 'journal' | 'media' | 'channels' | 'givesOwnKeys'>,
  make: MakeSignalSide,
): Exchange {
  const exchange: Exchange = {
    ...given,
    ledger: new Ledger(given.journal),
    faults: new Faults(given.clock),
    groups: new Groups(),
    directory: new Directory(given.random, furnisher(given.random, make)),
    get pairings() {
      return pairings;
    },
    get codes() {
      return codes;
    },
    get passkeys() {
      return passkeys;
    },
    get people() {
      return people;
    },
  };
  const pairings = new Pairings(exchange);
  const codes = new PairingCodes(exchange);
  const passkeys = new Passkeys(exchange);
  const people = new People(exchange);
  return exchange;
}
