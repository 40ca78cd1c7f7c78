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
  /** The same seed always gives the same keys, codes and ids. */
  readonly seed?: number;
  readonly clock?: Clock;
  /**
   * Signal implementation of the simulated phones. By default not the client's own, unless PEER_SIGNAL=library is set.
   */
  readonly signal?: 'rust' | 'library';
  /**
   * Whether a device that requests its own keys gets them. The network does not send them, but the bare library
   * requests them in groups with hidden addresses.
   */
  readonly givesOwnKeys?: boolean;
  /** Number of entries that the journal keeps. */
  readonly keep?: number;
  /** Checks stanzas against the web client's grammar. */
  readonly grammar?: GrammarWatch | null;
}

/** The other side of the network: a server, and all people with their phones. */
export interface Peer {
  /** WebSocket URL for clients: `ws://127.0.0.1:…`. */
  readonly url: string;
  /** Hex key that clients must trust instead of the network's own. */
  readonly rootKey: string;
  readonly journal: Journal;
  readonly ledger: Ledger;
  /** Differences from the web client's grammar; null if they are not checked. */
  readonly grammar: GrammarWatch | null;
  readonly media: MediaHost;
  /** Returns the person with this number, who is created if needed. */
  phone(digits: string): Person;
  /** Same as `phone`, for tests that use the person as a contact. */
  contact(digits: string): Person;
  group(members: readonly string[], options?: GroupOptions): Group;
  /** Applies a change that a member makes to a group. */
  changesGroup(by: string, group: Group, change: MemberChange | Exclude<GroupChange, { readonly members: unknown }>): void;
  readonly channels: Channels;
  readonly groups: Groups;
  /** Writes a post on the phone of the channel's owner. Returns its id. */
  posts(channel: string, text: string): string;
  /** Records that a person views a channel post or reacts to it on their phone. */
  viewsPost(by: string, channel: string, id: string): void;
  reactsToPost(by: string, channel: string, id: string, emoji: string): void;
  /** Starts a fault. Returns a function that ends it. */
  fault(fault: Fault): () => void;
  /** Cuts all connections of this number, or all connections. */
  cut(digits?: string): void;
  /** Notifies this number's clients of the time `t` from which their build is refused; null withdraws the notice. */
  announcesExpiry(digits: string, t: string | number | null): void;
  /** Ends this number's connections from the server's side, with a reason. */
  ends(digits: string, code: EndCode): void;
  /** Disconnects the number and refuses its logins from now on. */
  bans(digits: string): void;
  /** Shuts the server down with all connections, and restarts it at the same address with all its state. */
  restart(downMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface MemberChange {
  readonly kind: 'add' | 'remove' | 'promote' | 'demote';
  /** Phone numbers, as digits. */
  readonly members: readonly string[];
}

export interface GroupOptions {
  readonly subject?: string;
  /** Kind of address by which its members are known. */
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

/**
 * Adds a fault. A half-open fault with `forMs` ends after that time and cuts its connections, as when a network
 * recovers.
 */
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
