import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import { type Fault, Faults } from './faults.ts';
import { Journal } from './journal.ts';
import { Ledger } from './ledger.ts';
import { Luck } from './luck.ts';
import { furnisher, People } from './people/people.ts';
import type { Person } from './people/person.ts';
import type { MakeSignalSide } from './people/signal.ts';
import { librarySide } from './people/signal-library.ts';
import { rustSide } from './people/signal-rust.ts';
import { Directory } from './server/account.ts';
import { type Exchange, seconds } from './server/exchange.ts';
import { type Group, Groups } from './server/groups.ts';
import { Pairings } from './server/pairing.ts';
import { PairingCodes } from './server/pairing-codes.ts';
import { Router } from './server/router.ts';
import { makeAuthority } from './wire/authority.ts';
import { Connection } from './wire/connection.ts';

export interface PeerOptions {
  /** The same seed gives the same keys, codes and ids. */
  readonly seed?: number;
  readonly clock?: Clock;
  /** Whose Signal the simulated phones speak: not the client's own, unless asked for. */
  readonly signal?: 'rust' | 'library';
  /** How many entries the journal keeps. */
  readonly keep?: number;
}

/** The other side of the network: a server, and everybody who has a phone on it. */
export interface Peer {
  /** For clients: `ws://127.0.0.1:…`. */
  readonly url: string;
  /** Hex; the key that clients must trust in place of the network's own. */
  readonly rootKey: string;
  readonly journal: Journal;
  readonly ledger: Ledger;
  /** The person with this number; there always is one. */
  phone(digits: string): Person;
  /** As `phone`: a person is whoever a test takes them for. */
  contact(digits: string): Person;
  group(members: readonly string[], options?: { readonly subject?: string; readonly addressing?: Group['addressing'] }): Group;
  /** Makes trouble; answers how to end it. */
  fault(fault: Fault): () => void;
  /** Cuts every connection of this number, or all of them. */
  cut(digits?: string): void;
  stop(): Promise<void>;
}

const KEEP = 50_000;
const SIDES: Readonly<Record<'rust' | 'library', MakeSignalSide>> = { rust: rustSide, library: librarySide };

/** Starts a peer on a free loopback port. */
export async function startPeer({ seed = 1, clock = systemClock, signal = 'rust', keep = KEEP }: PeerOptions = {}): Promise<Peer> {
  const luck = new Luck(seed);
  const authority = makeAuthority(luck, clock.now());
  const exchange = makeExchange(clock, luck, SIDES[signal], keep);
  const { journal, ledger, faults, directory, people, groups } = exchange;
  const server = await listen();
  const connections = new Set<Connection>();
  const router = new Router(exchange);
  let calls = 0;
  server.on('connection', (socket, request) => {
    calls += 1;
    const connection = new Connection(`#${calls}`, socket, { authority, clock, luck, journal, faults }, router);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    journal.event('connected', connection.name, { address: request.socket.remoteAddress });
  });
  const person = (digits: string): Person => people.person(directory.account(digits));
  const cut = (digits?: string): void => {
    for (const connection of connections) if (digits === undefined || connection.phone === digits) connection.cut();
  };
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rootKey: authority.rootKey.toString('hex'),
    journal,
    ledger,
    phone: person,
    contact: person,
    group: (members, { subject = 'A group', addressing = 'lid' } = {}) =>
      groups.create(
        members.map((digits) => directory.account(digits)),
        subject,
        addressing,
        seconds(exchange),
      ),
    fault: (fault) => faults.add(fault),
    cut,
    stop: async () => {
      cut();
      await new Promise((done) => server.close(done));
    },
  };
}

function makeExchange(clock: Clock, luck: Luck, make: MakeSignalSide, keep: number): Exchange {
  const journal = new Journal(clock, keep);
  const parts = { clock, luck, journal, ledger: new Ledger(journal), faults: new Faults(clock), groups: new Groups() };
  const directory = new Directory(luck, furnisher(luck, make));
  const exchange: Exchange = {
    ...parts,
    directory,
    get pairings() {
      return pairings;
    },
    get codes() {
      return codes;
    },
    get people() {
      return people;
    },
  };
  const pairings = new Pairings(exchange);
  const codes = new PairingCodes(exchange);
  const people = new People(exchange);
  return exchange;
}

async function listen(): Promise<WebSocketServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await new Promise((done) => server.once('listening', done));
  return server;
}
